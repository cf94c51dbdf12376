/** What the tool page makes of answers before anything is drawn: pure, so every law is checked on made-up answers. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Group, Rate, Share } from "../../analytics/client/client.ts";
import { TERMINAL_OUTCOMES } from "../../analytics/metrics/counts.ts";
import { NEXT_ACTIONS } from "../../analytics/questions/episode-details.ts";
import { rate, share } from "../../analytics/statistics/rate.ts";
import { openStages, resolvedOf, type Stage, stagesOf } from "../../dashboard/src/kit/funnel-stages.ts";
import { linearScale, roundUp } from "../../dashboard/src/kit/linear-scale.ts";
import { segmentsOf, topOf } from "../../dashboard/src/kit/series.ts";
import { axisOf, nearestTo, tickText, timeTicks } from "../../dashboard/src/kit/time-axis.ts";
import { heatOf, partsOf } from "../../dashboard/src/tool/fingerprint-parts.ts";
import { flagsOf } from "../../dashboard/src/tool/flags.ts";

const USAGE = { model_turns: null, input_tokens: null, cached_input_tokens: null, cache_write_tokens: null } as const;
const NO_USAGE = { ...USAGE, output_tokens: null, duration_ms: null } as const;

/** A group with these funnel rows and next actions: what the stages are made of. */
function groupOf(given: {
  readonly rows: Readonly<Record<string, number>>;
  readonly pending: number;
  readonly accepted: number;
  readonly next: Readonly<Record<string, number>>;
}): Pick<Group, "funnel" | "first_attempts" | "calls"> {
  const settled = Object.values(given.rows).reduce((sum, count) => sum + count, 0);
  const opened = settled + given.pending;
  const none = share(0, settled);
  const calls = given.accepted + opened;
  return {
    calls: { total: calls, results: calls, unanswered: 0, unknown_verdict: 0 },
    first_attempts: { total: calls, accepted: given.accepted, rejected: opened },
    funnel: {
      ...{ kind: "repair", opened, settled, pending: given.pending, open: [], handovers: 0, usage: NO_USAGE },
      rows: Object.entries(given.rows)
        .filter(([, episodes]) => episodes > 0)
        .map(([row, episodes]) => ({
          ...{ row, episodes, share: share(episodes, settled), extra_model_turns: episodes, usage: NO_USAGE },
        })),
      next_actions: shares(NEXT_ACTIONS, (action) => share(given.next[action] ?? 0, settled)),
      outcomes: shares(TERMINAL_OUTCOMES, (outcome) => share(given.rows[`unresolved_${outcome}`] ?? 0, settled)),
      extra_turns: {
        ...{ total: 0, p50: null, p90: null, max: null },
        distribution: shares(["0", "1", "2", "3", "4+"] as const, () => none),
      },
      usage_known: { input_tokens: share(0, 0), output_tokens: share(0, 0) },
      linked_by: shares(["explicit", "operation", "digest", "order"] as const, () => share(0, 0)),
    },
  };
}

function shares<Name extends string>(names: readonly Name[], of: (name: Name) => Share): Record<Name, Share> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Share>;
}

const counts = (names: readonly string[]) =>
  fc.record(
    Object.fromEntries(names.map((name) => [name, fc.nat({ max: 50 })])) as Record<string, fc.Arbitrary<number>>,
  );
const REPAIRED = ["repaired_turn_1", "repaired_turn_2", "repaired_late"];
const LOST = TERMINAL_OUTCOMES.map((outcome) => `unresolved_${outcome}`);

describe("the funnel's stages", () => {
  const stage = (stages: readonly Stage[], name: string) => stages.find((one) => one.name === name)!;

  test("every stage is a part of the stage before it, and what is left over is the next one's whole", () => {
    fc.assert(
      fc.property(
        counts([...REPAIRED, ...LOST]),
        fc.nat({ max: 9 }),
        fc.nat({ max: 999 }),
        (rows, pending, accepted) => {
          const group = groupOf({ rows, pending, accepted, next: {} });
          const [calls, path] = stagesOf(group, 2);
          for (const { count, previous } of [...calls!.stages, ...path!.stages]) {
            if (previous !== null) expect(count).toBeLessThanOrEqual(previous.count);
          }
          const { settled } = group.funnel;
          const [first, second, late] = REPAIRED.map((name) => stage(path!.stages, name));
          const lost = stage(path!.stages, "unresolved");
          expect(first!.previous!.count).toBe(settled);
          expect(second!.previous!.count).toBe(settled - first!.count);
          expect(late!.previous!.count).toBe(settled - first!.count - second!.count);
          expect(late!.count + lost.count).toBe(late!.previous!.count);
          expect(resolvedOf(group.funnel) + lost.count).toBe(settled);
          const parts = path!.stages.filter(({ sub }) => sub);
          expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(lost.count);
        },
      ),
    );
  });

  test("what the model did next covers every settled episode that its first attempt did not resolve", () => {
    fc.assert(
      fc.property(counts(NEXT_ACTIONS), (next) => {
        const settled = Object.values(next).reduce((sum, count) => sum + count, 0);
        const group = groupOf({ rows: { unresolved_unknown: settled }, pending: 0, accepted: 0, next });
        const { stages } = stagesOf(group, 2)[2]!;
        expect(stages.reduce((sum, { count }) => sum + count, 0)).toBe(stages[0]!.previous!.count);
      }),
    );
  });

  test("a turn within the eventual window has a row even where nothing was repaired on it", () => {
    const group = groupOf({ rows: { unresolved_failed: 1 }, pending: 0, accepted: 0, next: { gave_up: 1 } });
    const names = stagesOf(group, 3)[1]!.stages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["repaired_turn_1", "repaired_turn_2", "repaired_turn_3"]));
  });

  test("open episodes are parts of what is pending, and lead to pending episodes only", () => {
    const group = groupOf({ rows: {}, pending: 3, accepted: 0, next: {} });
    const open = [{ row: "undecided", episodes: 3, share: share(3, 3), extra_model_turns: 0, usage: NO_USAGE }];
    const [only] = openStages({ ...group.funnel, open });
    expect(only).toMatchObject({
      count: 3,
      previous: { count: 3, label: "pending" },
      filter: { state: "pending", row: ["undecided"] },
    });
  });
});

describe("fingerprints", () => {
  test("a path is all that stands between the first colon and the last, whatever a schema names its properties", () => {
    expect(partsOf("invalid:rooms[].kind:enum")).toEqual({ word: "invalid", path: "rooms[].kind", category: "enum" });
    expect(partsOf("invalid:xml:lang.*:type")).toEqual({ word: "invalid", path: "xml:lang.*", category: "type" });
    expect(partsOf("malformed:$:malformed_json")).toEqual({
      ...{ word: "malformed", path: "$", category: "malformed_json" },
    });
  });

  test.each(["", "invalid", "invalid:start", "invalid::enum", ":start:enum", "invalid:start:"])(
    "%j is no fingerprint of this form",
    (text) => expect(partsOf(text)).toBeNull(),
  );

  const row = (fingerprint: string | null, first: number, repair: number) => ({
    key: { tool: "t", fingerprint },
    first_attempts: { total: first, accepted: 0, rejected: first },
    repair_attempts: { total: repair, accepted: 0, rejected: repair, unknown: 0 },
  });

  test("no rejected call is lost or counted twice between the cells and what has no place", () => {
    const name = fc.constantFrom(
      null,
      "odd",
      "invalid:a:enum",
      "invalid:a:type",
      "invalid:b.c[]:enum",
      "malformed:a:enum",
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.nat({ max: 20 }), fc.nat({ max: 20 }))), (given) => {
        const heat = heatOf(given.map(([fingerprint, first, repair]) => row(fingerprint, first, repair)));
        const cells = [...heat.cells.values()].flatMap((cells) => [...cells.values()]);
        const placed = cells.reduce((sum, { first, repair }) => sum + first + repair, 0);
        expect(heat.total).toBe(placed);
        expect(heat.total + heat.unplaced).toBe(given.reduce((sum, [, first, repair]) => sum + first + repair, 0));
      }),
    );
  });

  test("a cell leads to every fingerprint in it, and categories of an error's text share one column", () => {
    const heat = heatOf([
      ...[row("invalid:a:text_01ff", 2, 1), row("invalid:a:text_other", 1, 0), row("invalid:a:missing", 9, 0)],
      row("invalid:b:enum", 1, 1),
    ]);
    expect(heat.paths).toEqual(["a", "b"]);
    expect(heat.categories).toEqual(["missing", "enum", "text"]);
    expect(heat.cells.get("a")!.get("text")).toEqual({
      ...{ first: 3, repair: 1, fingerprints: ["invalid:a:text_01ff", "invalid:a:text_other"] },
    });
  });
});

describe("a rate over time", () => {
  const HOUR = 3_600_000;
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 15) + hour * HOUR).toISOString();
  const point = (hour: number, of: Rate) => ({ start: at(hour), end: at(hour + 1), rate: of });
  const measured = (numerator: number, denominator: number) => rate({ numerator, denominator, pending: 0 });

  test("a line joins neighbouring buckets with evidence and crosses neither a gap nor a bucket without any", () => {
    const points = [
      ...[point(0, measured(1, 2)), point(1, measured(1, 2)), point(2, measured(0, 0)), point(3, measured(2, 2))],
      ...[point(7, measured(1, 4)), point(8, measured(1, 4))],
    ];
    expect(segmentsOf(points).map((segment) => segment.map(({ start }) => start))).toEqual([
      [at(0), at(1)],
      [at(3)],
      [at(7), at(8)],
    ]);
  });

  test("the scale begins at 0 and holds every interval", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 400 }))), (pairs) => {
        const points = pairs.map(([some, rest], hour) => point(hour, measured(some, some + rest)));
        const top = topOf(points);
        for (const { rate: of } of points) expect(of.interval?.high ?? 0).toBeLessThanOrEqual(top);
        expect(top).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("ticks are round, lie in the interval, and are no more than have room", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200_000 }), fc.integer({ min: 260, max: 1_300 }), (minutes, width) => {
        const from = Date.UTC(2026, 1, 27, 3, 7);
        const ticks = timeTicks({ from, to: from + minutes * 60_000 }, width);
        expect(ticks.length).toBeLessThanOrEqual(width / 70);
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(from);
          expect(tick).toBeLessThan(from + minutes * 60_000);
          expect(tick % 60_000).toBe(0);
        }
      }),
    );
    expect(tickText(Date.UTC(2026, 0, 15))).toBe("2026-01-15");
    expect(tickText(Date.UTC(2026, 0, 15, 6, 30))).toBe("06:30");
  });

  test("charts span what was asked for, and what is there where nothing was", () => {
    const buckets = [point(3, measured(0, 0)), point(9, measured(0, 0))];
    expect(axisOf({ from: at(4), to: at(20) }, buckets)).toEqual({ from: Date.parse(at(3)), to: Date.parse(at(20)) });
    expect(axisOf({ from: null, to: null }, buckets)).toEqual({ from: Date.parse(at(3)), to: Date.parse(at(10)) });
    expect(axisOf({ from: null, to: null }, [])).toBeNull();
    expect(nearestTo(buckets, Date.parse(at(8)))).toBe(1);
  });

  test("a linear scale goes both ways, and the end of an axis of counts holds them all", () => {
    const scale = linearScale([10, 20], [100, 0]);
    expect([scale(10), scale(15), scale(20)]).toEqual([100, 50, 0]);
    expect(scale.invert(25)).toBe(17.5);
    expect(linearScale([3, 3], [0, 9])(3)).toBe(0);
    for (const count of [1, 3, 5, 7, 9, 11, 65, 100, 1_999]) {
      expect(roundUp(count)).toBeGreaterThanOrEqual(count);
      expect(roundUp(count)).toBeLessThanOrEqual(2 * count);
    }
  });

  test("every change has a letter of its own, in the order of time", () => {
    const changes = Array.from({ length: 60 }, (_, index) => ({
      ...{ at: at(60 - index), tool: "t", dimension: "schema_version" as const, value: String(index) },
    }));
    const flags = flagsOf(changes);
    expect(new Set(flags.map(({ letter }) => letter)).size).toBe(60);
    expect(flags[0]).toEqual({ at: at(1), letter: "A", value: "59", what: "schema_version" });
    expect(flags.map((flag) => flag.at)).toEqual(flags.map((flag) => flag.at).toSorted());
  });
});
