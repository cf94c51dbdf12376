import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { FingerprintRow, FingerprintsAnswer } from "./answer.ts";
import { countAll, EMPTY_GROUP, groupAnswer } from "./groups.ts";
import { headerOf } from "./header.ts";
import { byHurt } from "./hurt.ts";
import { filtered, hasTimes, inTime, linked, TOOL_LABEL } from "./relation.ts";
import type { GroupBy, Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";

type Facts = Omit<FingerprintRow, keyof ReturnType<typeof groupAnswer>>;

const NO_FACTS: Facts = {
  failure_classes: [],
  retryabilities: [],
  rungs: [],
  risks: [],
  failed_calls: 0,
  first_seen: null,
  last_seen: null,
};

/** The failures of each tool by fingerprint, what hurts most first; the list is bounded by its order, not by labels. */
export function fingerprints(db: Kysely<Database>, scope: Scope): Promise<FingerprintsAnswer> {
  return snapshot(db, async (db) => {
    const further = scope.groupBy.filter((by) => by !== "tool" && by !== "fingerprint");
    const groupBy: GroupBy[] = ["tool", "fingerprint", ...further];
    const perFingerprint = { ...scope, groupBy };
    const whole = await countAll(db, scope, { groupBy: [], bounds: new Map() });
    const parts = await countAll(db, perFingerprint, { groupBy, bounds: new Map() });
    const groups = parts.groups.filter(
      ({ counts }) =>
        counts[scope.kind].opened > 0 ||
        (scope.kind === "repair" && counts.rejected.first + counts.rejected.repair > 0),
    );
    const facts = await factsOf(db, perFingerprint);
    return {
      ...(await headerOf(db, perFingerprint)),
      total: groups.length,
      overall: groupAnswer(whole, whole.groups[0] ?? EMPTY_GROUP, scope.kind),
      fingerprints: byHurt(parts, groups, scope.kind)
        .slice(0, scope.limit)
        .map((group) => ({
          ...groupAnswer(parts, group, scope.kind),
          ...(facts.get(JSON.stringify([group.key[0], group.key[1]])) ?? NO_FACTS),
        })),
    };
  });
}

/** What is known of each tool's fingerprint besides counts, by `[tool, fingerprint]`. */
async function factsOf(db: Kysely<Database>, scope: Scope): Promise<ReadonlyMap<string, Facts>> {
  const { rows } = await sql<
    Omit<Facts, "first_seen" | "last_seen"> & {
      tool: string;
      fingerprint: string | null;
      first_seen: Date;
      last_seen: Date;
    }
  >`
    -- one row per tool and fingerprint of its failed calls
    select
      ${TOOL_LABEL} as tool,
      c.fingerprint,
      array_agg(distinct c.failure_class order by c.failure_class) as failure_classes,
      coalesce(array_agg(distinct c.retryability order by c.retryability) filter (where c.retryability is not null), '{}') as retryabilities,
      coalesce(array_agg(distinct c.rung::int order by c.rung::int) filter (where c.rung is not null), '{}') as rungs,
      array_agg(distinct c.risk order by c.risk) as risks,
      sum(c.calls)::float8 as failed_calls,
      min(c.first_call_at) as first_seen,
      max(c.first_call_at) as last_seen
    from run_count as c
    where ${linked(scope)} and ${inTime(scope, "minute")} and ${filtered(scope, { narrowing: true })} and ${hasTimes(scope)}
      and c.failure_class is not null
    group by 1, 2
  `.execute(db);
  return new Map(
    rows.map(({ tool, fingerprint, first_seen, last_seen, ...facts }) => [
      JSON.stringify([tool, fingerprint]),
      { ...facts, first_seen: first_seen.toISOString(), last_seen: last_seen.toISOString() },
    ]),
  );
}
