/** What is asked of raw calls, and what that means of a call. */
import { sql } from "kysely";
import { DEFAULT_PROJECT_ID } from "../../database/default-project.ts";

export interface RawQuestion {
  readonly from: Date;
  readonly to: Date;
  readonly asOf: Date;
  /** Only this tool; all where it is absent. */
  readonly tool?: string;
  /** Whether per tool and per fingerprint too, or only of everything. */
  readonly groups: boolean;
  /** Leaves out runs by their first call and attributed usage, which need a pass over every run and over the turns. */
  readonly countsOnly?: boolean;
  /** No run takes longer: so far around the interval stand calls that belong to an episode inside. */
  readonly longestRunSeconds: number;
}

/** Conditions on a call `c`. */
export function conditions({ from, to, tool, longestRunSeconds }: RawQuestion) {
  const margin = (date: Date, sign: 1 | -1) => new Date(date.getTime() + sign * longestRunSeconds * 1000);
  return {
    inside: sql`c.start_time >= ${from}::timestamptz and c.start_time < ${to}::timestamptz`,
    around: sql`c.project_id = ${DEFAULT_PROJECT_ID} and c.start_time >= ${margin(from, -1)}::timestamptz
        and c.start_time < ${margin(to, 1)}::timestamptz`,
    ofTool: tool === undefined ? sql`true` : sql`c.tool = ${tool}`,
  };
}

export const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
