import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AssembledRun, assemble, type ReceivedObservation } from "../../collector/assemble.ts";
import { observations } from "./arbitrary.ts";
import { call, run, spanId, traceId, turn } from "./observations.ts";

function only(observations: ReceivedObservation[]): AssembledRun {
  const runs = [...assemble(observations).values()];
  expect(runs).toHaveLength(1);
  return runs[0]!;
}
const places = (assembled: AssembledRun) => assembled.calls.map((one) => `${one.turn}.${one.ordinal} ${one.call_id}`);

describe("the run of a span", () => {
  const runOf = (observations: ReceivedObservation[], span: string) =>
    [...assemble(observations).values()].find((one) => one.calls.some((found) => found.span_id === spanId(span)))
      ?.run_id;

  it("is its run id", () => {
    expect(runOf([call({ span: "c", trace: "x" }, { run_id: "r1" })], "c")).toBe("r1");
  });
  it("is that of the nearest enclosing span that states one", () => {
    const spans = [
      run({ span: "a" }, { run_id: "r1" }),
      turn({ span: "m", parent: "a" }),
      call({ span: "c", parent: "m" }),
    ];
    expect(runOf(spans, "c")).toBe("r1");
  });
  it("is the nearest enclosing agent span where that states none, and not one further out", () => {
    const spans = [
      run({ span: "a" }, { run_id: "r1" }),
      run({ span: "b", parent: "a" }),
      call({ span: "c", parent: "b" }),
    ];
    expect(runOf(spans, "c")).toBe(`${traceId("t")}-${spanId("b")}`);
  });
  it("is the trace where nothing else says it", () => {
    expect(runOf([call({ span: "c" })], "c")).toBe(traceId("t"));
  });
  it("is the agent span around it in time where a span between is not held", () => {
    const spans = [
      run({ span: "a", start: 0, end: 100 }, { run_id: "r1" }),
      run({ span: "b", start: 10, end: 50 }, { run_id: "r2" }),
      call({ span: "c", parent: "http", start: 20, end: 30 }),
    ];
    expect(runOf(spans, "c")).toBe("r2");
  });
  it("survives spans that enclose each other in a circle", () => {
    expect(runOf([call({ span: "c", parent: "d" }), call({ span: "d", parent: "c" })], "c")).toBe(traceId("t"));
  });
});

describe("merging", () => {
  it("takes the non-null value, and of two the one of the observation with the later end", () => {
    const assembled = only([
      run({ span: "a", start: 0, end: 50 }, { run_id: "r", agent_name: "late", conversation_id: "c1" }),
      run({ span: "b", start: 10, end: 20 }, { run_id: "r", agent_name: "early", agent_version: "1" }),
    ]);
    expect(assembled).toMatchObject({ agent_name: "late", agent_version: "1", conversation_id: "c1" });
  });
  it("takes the greater span id where both ended at once", () => {
    const assembled = only([
      run({ span: "b", start: 0, end: 50 }, { run_id: "r", agent_name: "greater" }),
      run({ span: "a", start: 10, end: 50 }, { run_id: "r", agent_name: "smaller" }),
    ]);
    expect(assembled.agent_name).toBe("greater");
  });
  it("keeps the first and the last arrival", () => {
    const assembled = only([
      call({ span: "a", received: 30 }, { run_id: "r", turn: 0, ordinal: 0 }),
      call({ span: "b", received: 10 }, { run_id: "r", turn: 0, ordinal: 0 }),
      call({ span: "c", received: 90 }, { run_id: "r", turn: 1, ordinal: 0 }),
    ]);
    expect(assembled).toMatchObject({ first_received_at: 10, last_received_at: 90 });
    expect(assembled.calls.map((one) => one.received_at)).toEqual([10, 90]);
  });
});

describe("observations of one call", () => {
  it("name the same exact turn and ordinal", () => {
    const assembled = only([
      call({ span: "a" }, { run_id: "r", turn: 0, ordinal: 0, has_result: false }),
      call({ span: "b", start: 5, end: 9 }, { run_id: "r", turn: 0, ordinal: 0, verdict: "accepted" }),
    ]);
    expect(assembled.calls).toMatchObject([{ verdict: "accepted", has_result: true, execution_attempts: 1 }]);
  });
  it("are not told apart by an inferred place: those are two calls", () => {
    const inferred = { run_id: "r", turn: 0, ordinal: 0, turn_source: "inferred" } as const;
    const assembled = only([call({ span: "a" }, inferred), call({ span: "b" }, inferred)]);
    expect(assembled.calls.map((one) => one.ordinal)).toEqual([0, 1]);
  });
  it("carry the same call id in the same turn", () => {
    const assembled = only([
      call({ span: "a" }, { run_id: "r", turn: 0, ordinal: 0, call_id: "x" }),
      call({ span: "b", start: 5 }, { run_id: "r", turn: 0, ordinal: 1, call_id: "x" }),
      call({ span: "c", start: 9 }, { run_id: "r", turn: 1, ordinal: 0, call_id: "x" }),
    ]);
    expect(places(assembled)).toEqual(["0.0 x", "1.0 x"]);
    expect(assembled.calls[0]?.execution_attempts).toBe(2);
  });
  it("are two proposals where one id is reused in a turn for other arguments", () => {
    const signed = (digit: string) => ({ key_id: "00000000", signature: digit.repeat(32) });
    const assembled = only([
      call({ span: "a" }, { run_id: "r", turn: 0, ordinal: 0, call_id: "x", ...signed("a") }),
      call({ span: "b" }, { run_id: "r", turn: 0, ordinal: 1, call_id: "x", ...signed("b") }),
    ]);
    expect(places(assembled)).toEqual(["0.0 x", "0.1 x"]);
  });
  it("stand inside each other with the same call id, or with the same tool and signature", () => {
    const signed = { key_id: "00000000", signature: "a".repeat(32) };
    const assembled = only([
      turn({ span: "m", end: 1 }, { run_id: "r" }),
      call({ span: "o1", parent: "m", start: 2, end: 9 }, { run_id: "r", call_id: "x" }),
      call({ span: "i1", parent: "o1", start: 3, end: 8 }, { run_id: "r", call_id: "x", failure_class: "schema" }),
      call({ span: "o2", parent: "m", start: 2, end: 9 }, { run_id: "r", ...signed }),
      call({ span: "i2", parent: "o2", start: 3, end: 8 }, { run_id: "r", ...signed }),
    ]);
    expect(assembled.calls).toHaveLength(2);
    expect(assembled.calls).toMatchObject([
      { call_id: "x", verdict: "rejected", failure_class: "schema", execution_attempts: 1, duration_ms: 7 },
      { call_id: null, execution_attempts: 1 },
    ]);
  });
  it("are two calls where a tool calls another tool", () => {
    const assembled = only([
      call({ span: "o", start: 2, end: 9 }, { run_id: "r", turn: 0, ordinal: 0, tool: "outer" }),
      call({ span: "i", parent: "o", start: 3, end: 8 }, { run_id: "r", tool: "inner" }),
    ]);
    expect(assembled.calls.map((one) => one.tool)).toEqual(["outer", "inner"]);
  });
  it("count by the result that ended last, and forget what the engine retried", () => {
    const place = { run_id: "r", turn: 0, ordinal: 0 };
    const assembled = only([
      call(
        { span: "a", start: 0, end: 5 },
        { ...place, verdict: "accepted", failure_class: "timeout", fingerprint: "timeout:$:other", rung: 1 },
      ),
      call({ span: "b", start: 6, end: 9 }, { ...place, verdict: "accepted", result_state: "completed" }),
    ]);
    expect(assembled.calls).toMatchObject([
      {
        failure_class: null,
        fingerprint: null,
        rung: null,
        result_state: "completed",
        execution_attempts: 2,
        duration_ms: 3,
        span_id: spanId("a"),
      },
    ]);
  });
  it("give a specific class precedence over an unclassified one of the same execution", () => {
    const place = { run_id: "r", turn: 0, call_id: "x" };
    const assembled = only([
      call({ span: "o", start: 0, end: 9 }, { ...place, failure_class: "unclassified" }),
      call({ span: "i", parent: "o", start: 1, end: 5 }, { ...place, failure_class: "tool_input" }),
    ]);
    expect(assembled.calls).toMatchObject([{ failure_class: "tool_input", verdict: "rejected" }]);
  });
});

describe("turns that are counted", () => {
  it("come out gap-free from 0", () => {
    const assembled = only([
      call({ span: "a", start: 5 }, { run_id: "r", turn: 1, ordinal: 0 }),
      turn({ span: "m", start: 9 }, { run_id: "r", turn: 3, input_tokens: 7 }),
    ]);
    expect(assembled.turns.map((one) => [one.turn, one.input_tokens])).toEqual([
      [0, null],
      [1, null],
      [2, null],
      [3, 7],
    ]);
    expect(assembled.text_only_turns).toBe(3);
  });
  it("are numbered by leg, then index", () => {
    const assembled = only([
      call({ span: "a" }, { run_id: "r", turn: 0, ordinal: 0, call_id: "1" }),
      call({ span: "b" }, { run_id: "r", turn: 1, ordinal: 0, call_id: "2" }),
      call({ span: "c" }, { run_id: "r", leg: 1, turn: 0, ordinal: 0, call_id: "3" }),
      call({ span: "d" }, { run_id: "r", leg: 1, turn: 2, ordinal: 0, call_id: "4" }),
    ]);
    expect(places(assembled)).toEqual(["0.0 1", "1.0 2", "2.0 3", "4.0 4"]);
    expect(assembled.turns.map((one) => one.leg)).toEqual([0, 0, 1, 1, 1]);
    expect(assembled.legs).toBe(2);
  });
  it("close the gaps of an emitter that counts without measure", () => {
    const assembled = only([call({ span: "a" }, { run_id: "r", turn: 99_999, ordinal: 0 })]);
    expect(assembled.turns).toHaveLength(1);
    expect(assembled.calls[0]?.turn).toBe(0);
  });
  it("take our own usage, else the largest that is reported", () => {
    const assembled = only([
      turn({ span: "m", start: 0, end: 9 }, { run_id: "r", input_tokens: 99, output_tokens: 1 }),
      turn({ span: "n", parent: "m", start: 1, end: 8 }, { run_id: "r", turn: 0, input_tokens: 10, output_tokens: 2 }),
      turn({ span: "o", start: 20, end: 29 }, { run_id: "r", turn: 1 }),
      turn({ span: "p", start: 21, end: 27 }, { run_id: "r", input_tokens: 5, output_tokens: 5 }),
      turn({ span: "q", start: 22, end: 28 }, { run_id: "r", input_tokens: 4, output_tokens: 4 }),
    ]);
    expect(assembled.turns).toMatchObject([
      { input_tokens: 10, output_tokens: 2, duration_ms: 7 },
      { input_tokens: 5, output_tokens: 5, duration_ms: 9 },
    ]);
  });
  it("find the client's model spans, which state no index, by their order", () => {
    const assembled = only([
      turn({ span: "m0", start: 0, end: 10 }, { run_id: "r", model: "m", output_tokens: 1 }),
      call({ span: "a", start: 11, end: 12 }, { run_id: "r", turn: 0, ordinal: 0 }),
      turn({ span: "m1", start: 20, end: 30 }, { run_id: "r", model: "m", output_tokens: 2 }),
      turn({ span: "m2", start: 40, end: 50 }, { run_id: "r", model: "m", output_tokens: 3 }),
      call({ span: "b", start: 51, end: 52 }, { run_id: "r", turn: 2, ordinal: 0 }),
      turn({ span: "m3", start: 60, end: 70 }, { run_id: "r", model: "m", output_tokens: 4 }),
    ]);
    expect(assembled.turns.map((one) => one.output_tokens)).toEqual([1, 2, 3, 4]);
    expect(assembled.calls.map((one) => one.turn)).toEqual([0, 2]);
  });
});

describe("turns that are not counted", () => {
  it("begin with the first call that starts after every earlier call of the turn has ended", () => {
    const assembled = only([
      call({ span: "a", start: 0, end: 10 }, { run_id: "r", call_id: "1" }),
      call({ span: "b", start: 5, end: 30 }, { run_id: "r", call_id: "2" }),
      call({ span: "c", start: 20, end: 25 }, { run_id: "r", call_id: "3" }),
      call({ span: "d", start: 31, end: 40 }, { run_id: "r", call_id: "4" }),
    ]);
    expect(places(assembled)).toEqual(["0.0 1", "0.1 2", "0.2 3", "1.0 4"]);
    expect(assembled.calls.map((one) => one.turn_source)).toEqual(["inferred", "inferred", "inferred", "inferred"]);
  });
  it("are separated by a model span between two calls", () => {
    const assembled = only([
      call({ span: "a", start: 0, end: 10 }, { run_id: "r", call_id: "1" }),
      turn({ span: "m", start: 5, end: 6 }, { run_id: "r", model: "m" }),
      call({ span: "b", start: 7, end: 8 }, { run_id: "r", call_id: "2" }),
    ]);
    expect(places(assembled)).toEqual(["0.0 1", "1.0 2"]);
  });
  it("count a model span without calls as a turn, and one inside a tool as none", () => {
    const assembled = only([
      turn({ span: "m0", start: 0, end: 10 }, { run_id: "r", model: "m" }),
      call({ span: "a", parent: "m0", start: 11, end: 20 }, { run_id: "r" }),
      turn({ span: "in", parent: "a", start: 12, end: 15 }, { run_id: "r", model: "m", input_tokens: 1_000 }),
      turn({ span: "m1", start: 21, end: 30 }, { run_id: "r", model: "m" }),
    ]);
    expect(assembled.turns.map((one) => one.input_tokens)).toEqual([null, null]);
    expect(assembled.text_only_turns).toBe(1);
    expect(assembled.calls[0]).toMatchObject({ turn: 0, turn_source: "exact", model: "m" });
  });
  it("count a model span of a subagent that states its run, inside a tool of its parent", () => {
    const runs = assemble([
      call({ span: "c", start: 0, end: 90 }, { run_id: "parent" }),
      turn({ span: "m", parent: "c", start: 1, end: 5 }, { run_id: "child", model: "m" }),
      call({ span: "d", parent: "m", start: 6, end: 9 }, { run_id: "child" }),
    ]);
    expect(runs.get("child")).toMatchObject({ proposed_calls: 1, turns: [{ model: "m" }] });
    expect(runs.get("parent")).toMatchObject({ proposed_calls: 1 });
  });
  it("leave out the inference of a guardrail: another model that was offered no tools", () => {
    const assembled = only([
      turn({ span: "m0", start: 0, end: 10 }, { run_id: "r", model: "big" }),
      turn({ span: "g0", start: 11, end: 12 }, { run_id: "r", model: "small" }),
      turn({ span: "m1", start: 13, end: 20 }, { run_id: "r", model: "big" }),
      turn({ span: "g1", start: 21, end: 22 }, { run_id: "r", model: "big", tools_offered: 0 }),
      turn({ span: "m2", start: 23, end: 30 }, { run_id: "r", model: "small", tools_offered: 3 }),
    ]);
    expect(assembled.turns.map((one) => one.model)).toEqual(["big", "big", "small"]);
  });
});

describe("a run", () => {
  const ended = (...observations: ReceivedObservation[]) => only(observations).ended;
  it("has ended with an outcome, with its agent span and no leg open, or with its file", () => {
    expect(ended(call({ span: "c" }, { run_id: "r" }))).toBe(false);
    expect(ended(run({ span: "a" }, { run_id: "r", outcome: "failed", outcome_only: true }))).toBe(true);
    expect(ended(run({ span: "a" }, { run_id: "r" }))).toBe(true);
    expect(ended(run({ span: "a" }, { run_id: "r", leg: 0 }), call({ span: "c" }, { run_id: "r", leg: 1 }))).toBe(
      false,
    );
    expect(
      ended(
        run({ span: "a", source: "f" }, { run_id: "r", read_from_file: true }),
        call({ span: "c", source: "f" }, { run_id: "r", leg: 1 }),
      ),
    ).toBe(true);
  });
  it("takes the later of two outcomes; a report is no leg", () => {
    const assembled = only([
      run({ span: "a", start: 0, end: 10 }, { run_id: "r", outcome: "completed" }),
      run({ span: "b", start: 99, end: 99 }, { run_id: "r", leg: 7, outcome: "escalated", outcome_only: true }),
    ]);
    expect(assembled).toMatchObject({ outcome: "escalated", legs: 1 });
  });
  it("takes only ids from its parent", () => {
    const runs = assemble([
      call({ span: "p", end: 50 }, { run_id: "parent", turn: 0, ordinal: 0, call_id: "x", agent_name: "boss" }),
      run({ span: "a", parent: "p", start: 5, end: 40 }, {}),
      call({ span: "c", parent: "a", start: 6, end: 7 }, {}),
    ]);
    expect(runs.get("parent")).toMatchObject({ proposed_calls: 1 });
    expect(runs.get(`${traceId("t")}-${spanId("a")}`)).toMatchObject({
      parent_run_id: "parent",
      parent_call_id: "x",
      agent_name: null,
      proposed_calls: 1,
    });
  });
  it("stores a call that the model did not propose and counts it as left out", () => {
    const assembled = only([
      call({ span: "a" }, { run_id: "r", turn: 0, ordinal: 0 }),
      call({ span: "b" }, { run_id: "r", turn: 0, ordinal: 1, origin: "worker" }),
    ]);
    expect(assembled).toMatchObject({ proposed_calls: 1, left_out_calls: 1 });
    expect(assembled.calls).toHaveLength(2);
  });
  it("links two servers' tools of one name apart, and unknown tools by their digest", () => {
    const place = { run_id: "r", turn: 0 };
    const assembled = only([
      call({ span: "a" }, { ...place, ordinal: 0, tool_source: "mcp-a" }),
      call({ span: "b" }, { ...place, ordinal: 1 }),
      call({ span: "c" }, { ...place, ordinal: 2, tool: "_unknown", requested: "00112233aabbccdd" }),
    ]);
    expect(assembled.calls.map((one) => one.link_tool)).toEqual([
      "search@mcp-a",
      "search",
      "_unknown/00112233aabbccdd",
    ]);
  });
});

describe("a verdict that nobody states", () => {
  const verdict = (record: Parameters<typeof call>[1]) =>
    only([call({ span: "a" }, { run_id: "r", ...record })]).calls[0]?.verdict;
  it.each([
    [{}, "accepted"],
    [{ has_result: false }, "unknown"],
    [{ failure_class: "schema" }, "rejected"],
    [{ failure_class: "tool_input" }, "rejected"],
    [{ failure_class: "execution" }, "accepted"],
    [{ failure_class: "timeout" }, "accepted"],
    [{ failure_class: "denied" }, "unknown"],
    [{ failure_class: "cancelled" }, "unknown"],
    [{ failure_class: "unclassified" }, "unknown"],
  ] as const)("of %j is %s", (record, expected) => {
    expect(verdict(record)).toBe(expected);
  });
});

describe("a stated verdict that contradicts the failure class", () => {
  const said = (record: Parameters<typeof call>[1]) => {
    const { verdict, failure_class } = only([call({ span: "a" }, { run_id: "r", ...record })]).calls[0]!;
    return [verdict, failure_class];
  };
  it.each([
    [{ verdict: "accepted", failure_class: "schema" }, ["rejected", "schema"]],
    [{ verdict: "unknown", failure_class: "malformed" }, ["rejected", "malformed"]],
    [{ verdict: "rejected", failure_class: "execution" }, ["unknown", "execution"]],
    [{ verdict: "rejected" }, ["unknown", "unclassified"]],
    [{ verdict: "accepted", failure_class: "denied" }, ["accepted", "denied"]],
  ] as const)("%j gives %j: rejected and the four classes always go together", (record, expected) => {
    expect(said(record)).toEqual(expected);
  });
});

describe("assembling", () => {
  it("gives the same runs in whatever order observations come, and doubled", () => {
    fc.assert(
      fc.property(
        observations.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all)),
        ),
        ([all, shuffled, again]) => {
          const bySpan = (runs: Map<string, AssembledRun>) => Object.fromEntries([...runs].sort());
          expect(bySpan(assemble([...shuffled, ...again]))).toEqual(bySpan(assemble(all)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("tells of a run the same beside other runs and alone, where every span states its run", () => {
    fc.assert(
      fc.property(observations, (all) => {
        const stating = all.filter((one) => one.record.run_id !== undefined);
        for (const [runId, beside] of assemble(stating)) {
          const alone = assemble(stating.filter((one) => one.record.run_id === runId));
          expect([...alone.values()]).toEqual([beside]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("loses no call, gives each a place of its own, and leaves no gap between turns", () => {
    fc.assert(
      fc.property(observations, (all) => {
        const runs = [...assemble(all).values()];
        const spansOf = (type: string) =>
          new Set(all.filter((one) => one.record.type === type).map((one) => one.span_id + one.trace_id));
        for (const one of runs) {
          expect(one.turns.map((each) => each.turn)).toEqual(one.turns.map((_, index) => index));
          const taken = one.calls.map((each) => `${each.turn}/${each.ordinal}`);
          expect(new Set(taken).size).toBe(taken.length);
          expect(one.calls.every((each) => each.turn < one.turns.length)).toBe(true);
          for (const row of [...one.turns, ...one.calls]) {
            expect(row.start_time).toBeGreaterThanOrEqual(one.started_at);
            expect(row.start_time).toBeLessThanOrEqual(one.ended_at);
          }
          expect(one.proposed_calls + one.left_out_calls).toBe(one.calls.length);
        }
        const callSpans = spansOf("call");
        const kept = runs.flatMap((one) => one.calls.map((each) => each.span_id + each.trace_id));
        expect(kept.every((span) => callSpans.has(span))).toBe(true);
        expect(kept.length > 0).toBe(callSpans.size > 0);
        const without = all.filter(
          (one) =>
            one.record.type === "call" &&
            one.record.turn === undefined &&
            one.record.call_id === undefined &&
            !one.parent_span_id,
        );
        for (const one of without) expect(kept).toContain(one.span_id + one.trace_id);
      }),
      { numRuns: 500 },
    );
  });
});
