/** One line of a list of facts: what it is, and its number with what that is of. */
import type { ReactNode } from "react";

export function Fact(props: { readonly name: string; readonly label: string; readonly children: ReactNode }) {
  return (
    <div data-fact={props.name}>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
