import { sql } from "kysely";
import { bucketStart, type Interval } from "./interval.ts";
import type { TimelineBucket } from "./page-query.ts";
import { filtered, LABELS } from "./relation.ts";
import { seenCohorts } from "./rolled-calls.ts";
import type { Snapshot } from "./snapshot.ts";
import type { VersionChange } from "./timeline-answer.ts";

const VERSIONED = ["schema_version", "template_version"] as const;
type Versioned = (typeof VERSIONED)[number];

/** How far before the interval a tool is looked at, to know which of its versions were in force when it began. */
const LOOK_BACK_DAYS = 30;

interface Seen {
  readonly tool: string;
  readonly schema_version: string | null;
  readonly template_version: string | null;
  readonly first: Date;
  readonly last: Date;
}

interface Version {
  readonly value: string;
  first: Date;
  last: Date;
}

/**
 * The first bucket of each version of a tool that was not in force before, where another version was.
 *
 * In force when the interval begins are the versions of the day on which the tool was last called before it, so that a
 * roll-back is a change, and two versions that are compared side by side are none. A version that nobody recorded is
 * no version.
 */
export async function versionChanges(at: Snapshot, bucket: TimelineBucket): Promise<VersionChange[]> {
  const { from, to } = at.scope;
  const within = await seen(at, { from, to }, bucket);
  const before = from === null || within.length === 0 ? [] : await seen(at, lookBack(from), "day");
  const tools = [...new Set(within.map(({ tool }) => tool))];
  const changes = VERSIONED.flatMap((dimension) =>
    tools.flatMap((tool) => {
      const past = versionsOf(before, tool, dimension);
      const inForce = past.filter(({ last }) => past.every((other) => other.last <= last)).map(({ value }) => value);
      const present = versionsOf(within, tool, dimension);
      return present
        .filter(({ value, first }) => {
          const earlier = present.filter((other) => other.first < first).map((other) => other.value);
          return !inForce.includes(value) && [...inForce, ...earlier].some((other) => other !== value);
        })
        .map(({ value, first }): VersionChange => ({ at: first.toISOString(), tool, dimension, value }));
    }),
  );
  return changes.sort((a, b) => (a.at + a.tool + a.value < b.at + b.tool + b.value ? -1 : 1));
}

function lookBack(from: Date): Interval {
  return { from: bucketStart(new Date(from.getTime() - LOOK_BACK_DAYS * 86_400_000), "day"), to: from };
}

/** When each version of a tool was first and last called. */
function versionsOf(rows: readonly Seen[], tool: string, dimension: Versioned): Version[] {
  const versions = new Map<string, Version>();
  for (const row of rows.filter((candidate) => candidate.tool === tool)) {
    const value = row[dimension];
    if (value === null) continue;
    const known = versions.get(value) ?? { value, first: row.first, last: row.last };
    versions.set(value, known);
    if (row.first < known.first) known.first = row.first;
    if (row.last > known.last) known.last = row.last;
  }
  return [...versions.values()];
}

async function seen(at: Snapshot, interval: Interval, bucket: TimelineBucket): Promise<readonly Seen[]> {
  const { db, scope } = at;
  const { rows } = await sql<Seen>`
    -- one row per tool and pair of versions
    select ${LABELS.tool} as tool, k.schema_version, k.template_version, min(c.first) as first, max(c.last) as last
    from ${seenCohorts(at, interval, bucket)} as c
    join cohort as k on k.project_id = ${scope.projectId} and k.cohort_id = c.cohort_id
    where ${filtered(scope, { narrowing: false })} and k.timed
    group by 1, 2, 3
  `.execute(db);
  return rows;
}
