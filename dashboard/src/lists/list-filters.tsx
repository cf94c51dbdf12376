/** What a list alone is narrowed by, beside the scope: a choice for each parameter, and a chip for each that is set. */
import type { ReactNode } from "react";
import { useEdit, useQuery } from "../state/query-string.ts";

export interface FilterSpec {
  /** The API's parameter. */
  readonly name: string;
  readonly title: string;
  readonly values: readonly string[];
  readonly words: (value: string) => string;
}

/** Values of a list's parameter in the address: repeated or separated by commas. */
function listedValues(params: URLSearchParams, name: string): string[] {
  return params
    .getAll(name)
    .flatMap((text) => text.split(","))
    .filter((value) => value !== "");
}

/** The parameters that are set, as the API takes them. */
export function useListFilters(specs: readonly FilterSpec[]): Readonly<Record<string, string[]>> {
  const params = useQuery();
  const set = specs.map(({ name }) => [name, listedValues(params, name)] as const);
  return Object.fromEntries(set.filter(([, values]) => values.length > 0));
}

export interface ListFiltersProps {
  readonly specs: readonly FilterSpec[];
  /** A choice that stands before the others. */
  readonly lead?: ReactNode;
}

export function ListFilters({ specs, lead }: ListFiltersProps) {
  const params = useQuery();
  const edit = useEdit();
  const write = (name: string, values: readonly string[]) =>
    edit((next) => (values.length === 0 ? next.delete(name) : next.set(name, values.join(","))));
  const active = specs.flatMap((spec) => listedValues(params, spec.name).map((value) => ({ spec, value })));
  return (
    <div className="list-filters">
      {lead}
      {specs.map((spec) => (
        <FilterChoice
          key={spec.name}
          spec={spec}
          chosen={listedValues(params, spec.name)}
          choose={(values) => write(spec.name, values)}
        />
      ))}
      {active.length === 0 ? null : (
        <ul className="active-filters" aria-label="Listed only">
          {active.map(({ spec, value }) => {
            const text = `${spec.title}: ${spec.words(value)}`;
            const rest = listedValues(params, spec.name).filter((other) => other !== value);
            return (
              <li key={text}>
                <button
                  type="button"
                  className="chip"
                  aria-label={`Take out ${text}`}
                  onClick={() => write(spec.name, rest)}
                >
                  {text} <span aria-hidden="true">×</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

interface FilterChoiceProps {
  readonly spec: FilterSpec;
  readonly chosen: readonly string[];
  readonly choose: (values: readonly string[]) => void;
}

/** Links may set several values at once; a choice then says so and can replace them by one. */
function FilterChoice({ spec: { name, title, values, words }, chosen, choose }: FilterChoiceProps) {
  const [only = ""] = chosen;
  // A link may name a value that is not offered here, such as a row of a wider eventual window.
  const offered = chosen.length === 1 && !values.includes(only) ? [...values, only] : values;
  return (
    <label className="choice">
      {title}
      <select
        name={name}
        value={chosen.length > 1 ? "several" : only}
        onChange={({ target }) => choose(target.value === "" ? [] : [target.value])}
      >
        <option value="">any</option>
        {chosen.length > 1 ? (
          <option value="several" disabled>
            several
          </option>
        ) : null}
        {offered.map((value) => (
          <option key={value} value={value}>
            {words(value)}
          </option>
        ))}
      </select>
    </label>
  );
}
