/** Runs far beyond what an agent does: each span may cost a little, and none the square of it. */
import { describe, expect, it } from "vitest";
import { assemble, type ReceivedObservation } from "../../collector/assemble.ts";
import { lastOf, SpanTree } from "../../collector/assembly/span-tree.ts";
import { call, run, turn } from "./observations.ts";

const MANY = 130_000;
const DEEP = 8_000;

/** Many observations with ids of their own, without the cost of hashing each. */
function many(count: number, one: ReceivedObservation): ReceivedObservation[] {
  return Array.from({ length: count }, (_, i) => ({ ...one, span_id: i.toString(16).padStart(16, "0") }));
}
const only = (observations: ReceivedObservation[]) => [...assemble(observations).values()][0]!;
/** Each inside the one before. */
function chain(
  length: number,
  one: (place: { span: string; parent?: string; start: number; end: number }) => ReceivedObservation,
) {
  return Array.from({ length }, (_, i) =>
    one({ span: `${i}`, ...(i > 0 && { parent: `${i - 1}` }), start: i, end: 2 * length - i }),
  );
}

describe("any number of observations", () => {
  it("may tell of one call", () => {
    const said = { run_id: "r", turn: 0, ordinal: 0, call_id: "x", cohort: { tier: "a" } };
    expect(only(many(MANY, call({ span: "a" }, said))).calls).toMatchObject([
      { execution_attempts: MANY, cohort: { keys: { tier: "a" } } },
    ]);
  });
  it("may be calls of one turn", () => {
    const placed = many(MANY, call({ span: "a" }, { run_id: "r", turn: 0 })).map((one, i) => ({
      ...one,
      record: { ...one.record, ordinal: i },
    }));
    expect(only(placed).calls).toHaveLength(MANY);
  });
  it("may be calls inside usage beside counted turns", () => {
    const usage = turn({ span: "u", start: 50, end: 51 }, { run_id: "r" });
    const calls = many(MANY, call({ span: "a", parent: "u", start: 50 }, { run_id: "r" }));
    const assembled = only([turn({ span: "m", start: 0, end: 9 }, { run_id: "r", turn: 0 }), usage, ...calls]);
    expect(assembled.turns).toHaveLength(1);
    expect(new Set(assembled.calls.map((one) => one.ordinal)).size).toBe(MANY);
  });
});

describe("spans nested thousands deep", () => {
  it("are asked a fixed number of times each, however many searches there are", () => {
    const tree = new SpanTree(chain(DEEP, (place) => call(place)));
    let asked = 0;
    const nearest = tree.nearest(() => {
      asked += 1;
      return false;
    });
    for (const one of tree.observations) expect(nearest(one)).toBeUndefined();
    expect(asked).toBeLessThanOrEqual(2 * DEEP);
    let steps = 0;
    const last = lastOf((n: number) => {
      steps += 1;
      return n === DEEP ? undefined : n + 1;
    });
    for (let n = 0; n <= DEEP; n += 1) expect(last(n)).toBe(DEEP);
    expect(steps).toBe(DEEP + 1);
  });
  it("are one run, whose calls all count", () => {
    expect(only(chain(DEEP, (place) => call(place))).calls).toHaveLength(DEEP);
  });
  it("are one call where all are of one call", () => {
    expect(only(chain(DEEP, (place) => call(place, { call_id: "x" }))).calls).toMatchObject([
      { execution_attempts: 1, duration_ms: 2 * DEEP },
    ]);
  });
  it("are one response where all are model spans", () => {
    expect(only(chain(DEEP, (place) => turn(place))).turns).toHaveLength(1);
  });
  it("are one run each where all are agent spans", () => {
    expect(assemble(chain(DEEP, (place) => run(place))).size).toBe(DEEP);
  });
});

describe("a circle of spans", () => {
  it("has no parent at its first span, from wherever it is entered", () => {
    const circle = [
      call({ span: "a", parent: "c", start: 2 }),
      call({ span: "b", parent: "a", start: 1 }),
      call({ span: "c", parent: "b", start: 3 }),
      call({ span: "d", parent: "c", start: 0 }),
    ];
    for (const observations of [circle, circle.toReversed()]) {
      const tree = new SpanTree(observations);
      const parents = circle.map((one) => tree.parent(one));
      expect(parents).toEqual([circle[2], undefined, circle[1], circle[2]]);
    }
  });
});
