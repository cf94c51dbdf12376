/** Figures with their names, in columns. */
import type { ReactNode } from "react";

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note === undefined ? null : <dd className="note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
