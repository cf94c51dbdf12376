/** One dimension's values with how many calls each has; several may be chosen. */
import { useRef } from "react";
import type { Dimension } from "../../../analytics/client/client.ts";
import { formatCompact } from "../../../analytics/client/format.ts";
import { riskWords } from "../kit/words.ts";
import { DIMENSION_WORDS, parameterOf, valueWords } from "../state/dimensions.ts";
import { useScope } from "../state/scope.ts";
import { useDismiss } from "./use-dismiss.ts";

export interface FilterMenuProps {
  readonly dimension: Dimension;
  /** Values in the scope, most calls first; undefined while they are not known. */
  readonly known: readonly { readonly value: string | null; readonly calls: number }[] | undefined;
}

export function FilterMenu({ dimension, known = [] }: FilterMenuProps) {
  const { filters, setFilter } = useScope();
  const menu = useRef<HTMLDetailsElement>(null);
  useDismiss(menu);
  const chosen = filters[dimension] ?? [];
  const offered = known.map(({ value, calls }) => ({ parameter: parameterOf(value), calls: calls as number | null }));
  const absent = chosen.filter((parameter) => !offered.some((one) => one.parameter === parameter));
  const options = [...absent.map((parameter) => ({ parameter, calls: null })), ...offered];
  const toggle = (parameter: string) =>
    setFilter(
      dimension,
      chosen.includes(parameter) ? chosen.filter((other) => other !== parameter) : [...chosen, parameter],
    );
  return (
    <details className="menu" ref={menu} data-filter={dimension}>
      <summary className={chosen.length > 0 ? "is-set" : ""}>
        {DIMENSION_WORDS[dimension]}
        {chosen.length === 0 ? null : <span className="menu-count">{chosen.length}</span>}
      </summary>
      <fieldset className="popover">
        <legend className="visually-hidden">{DIMENSION_WORDS[dimension]}</legend>
        {options.length === 0 ? <p className="note">No calls in this scope.</p> : null}
        {options.map(({ parameter, calls }) => (
          <label key={parameter} className="option">
            <input type="checkbox" checked={chosen.includes(parameter)} onChange={() => toggle(parameter)} />
            <span className="option-name">{words(dimension, parameter)}</span>
            <span className="option-count">{calls === null ? "no calls" : formatCompact(calls)}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function words(dimension: Dimension, parameter: string): string {
  return dimension === "risk" ? riskWords(parameter) : valueWords(parameter);
}
