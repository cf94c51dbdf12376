/** What the page is about: times, filters, kind of episode. The address and the API use the same parameters. */
import { useMemo } from "react";
import type { Dimension, ScopeQuery } from "../../../analytics/client/client.ts";
import { DIMENSIONS, valuesOf } from "./dimensions.ts";
import { useEdit, useQuery } from "./query-string.ts";
import { shifted, type Times, timesOf, writeTimes } from "./ranges.ts";

export const KINDS = ["repair", "recovery", "denial"] as const;
export type Kind = (typeof KINDS)[number];

export type Filters = Readonly<Partial<Record<Dimension, readonly string[]>>>;

export interface ScopeState {
  /** What the API is asked: times, kind (where it is not repair) and filters. Equal scopes are the same object. */
  readonly query: ScopeQuery;
  readonly times: Times;
  readonly kind: Kind;
  readonly filters: Filters;
  setTimes(times: Times): void;
  /** To the interval before or after this one; does nothing where there is none. */
  shift(direction: -1 | 1): void;
  setKind(kind: Kind): void;
  /** Values in the form of a parameter (`null` is a missing value); none takes the filter out. */
  setFilter(dimension: Dimension, values: readonly string[]): void;
  clearFilters(): void;
}

export function useScope(): ScopeState {
  const params = useQuery();
  const edit = useEdit();
  const read = useMemo(() => readScope(params), [params]);
  return {
    ...read,
    setTimes: (times) => edit((next) => writeTimes(next, times)),
    shift(direction) {
      const times = shifted(read.times, direction, Date.now());
      if (times !== null) edit((next) => writeTimes(next, times));
    },
    setKind: (kind) => edit((next) => (kind === "repair" ? next.delete("kind") : next.set("kind", kind))),
    setFilter: (dimension, values) => edit((next) => writeFilter(next, dimension, values)),
    clearFilters: () =>
      edit((next) => {
        for (const dimension of DIMENSIONS) next.delete(dimension);
      }),
  };
}

export function readScope(params: URLSearchParams): Pick<ScopeState, "query" | "times" | "kind" | "filters"> {
  const times = timesOf(params);
  const kind = KINDS.find((known) => known === params.get("kind")) ?? "repair";
  const filters: Partial<Record<Dimension, readonly string[]>> = {};
  for (const dimension of DIMENSIONS) {
    const values = valuesOf(params, dimension);
    if (values.length > 0) filters[dimension] = values;
  }
  const query = { ...times, ...(kind === "repair" ? {} : { kind }), ...filters } as ScopeQuery;
  return { query, times, kind, filters };
}

function writeFilter(params: URLSearchParams, dimension: Dimension, values: readonly string[]): void {
  params.delete(dimension);
  for (const value of values) params.append(dimension, value);
}
