/** A timeline's points on one axis. Buckets without calls are not in the answer: they are put back as gaps. Pure. */
import type { Rate, TimelineAnswer } from "../../../analytics/client/client.ts";
import type { RateName } from "../kit/words.ts";
import type { SparkPoint } from "./sparkline.tsx";

const NO_RATE: Rate = { numerator: 0, denominator: 0, value: null, interval: null, pending: 0 };

/** The rate in each bucket, from the interval's start to its end (of the first and last bucket where it has none). */
export function sparkPoints({ points, scope }: TimelineAnswer, name: RateName): SparkPoint[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const from = Date.parse(scope.from ?? first.start);
  const length = Date.parse(scope.to ?? last.end) - from;
  const spark: SparkPoint[] = [];
  let before = Date.parse(first.start);
  for (const { start, end, rates } of points) {
    const [begun, ended] = [Date.parse(start), Date.parse(end)];
    const at = (time: number) => Math.min(1, Math.max(0, (time - from) / length));
    if (begun > before) spark.push({ at: at((before + begun) / 2), rate: NO_RATE });
    spark.push({ at: at((begun + ended) / 2), rate: rates[name] });
    before = ended;
  }
  return spark;
}
