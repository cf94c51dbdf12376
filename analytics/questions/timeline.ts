import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import { countGroups, readCells, runsWithoutTimes } from "./counts.ts";
import { detailsOf } from "./episode-details.ts";
import { headerOf } from "./header.ts";
import { bucketEnd } from "./interval.ts";
import { measured } from "./measured.ts";
import { bucketOfTimeline, refuseTooMany } from "./page-query.ts";
import type { Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";
import type { TimelineAnswer } from "./timeline-answer.ts";
import { versionChanges } from "./version-changes.ts";

/**
 * The rates of the scope bucket by bucket, and where versions of its tools changed.
 *
 * Calls and episodes stand in the bucket of their time, runs in that of their first call. Throws a QuestionError where
 * the buckets are too fine for the interval.
 */
export function timeline(db: Kysely<Database>, scope: Scope, asked: string | undefined): Promise<TimelineAnswer> {
  const bucket = bucketOfTimeline(asked, scope);
  return snapshot(db, scope, async (at) => {
    const cells = await readCells(at, scope, { groupBy: [bucket], grain: bucket, bounds: new Map(), finer: false });
    const points = countGroups(cells, [bucket])
      .map((group) => ({ start: new Date(String(group.key[0])).toISOString(), group }))
      .sort((a, b) => (a.start < b.start ? -1 : 1));
    refuseTooMany(bucket, points.length);
    return {
      ...(await headerOf(at)),
      bucket,
      points: points.map(({ start, group }) => {
        const { calls, rejected } = group.counts;
        const { opened, settled, pending } = group.counts[scope.kind];
        return {
          start,
          end: bucketEnd(new Date(start), bucket).toISOString(),
          ...measured(group.counts),
          calls: calls.calls,
          first_attempts: {
            total: calls.first_accepted + calls.first_rejected,
            accepted: calls.first_accepted,
            rejected: rejected.first,
          },
          episodes: { opened, settled, pending },
          extra_model_turns: detailsOf(group.episodes[scope.kind]).extra_model_turns,
        };
      }),
      changes: await versionChanges(at, bucket),
      runs_without_times: runsWithoutTimes(cells),
    };
  });
}
