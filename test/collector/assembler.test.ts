import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReceivedObservation } from "../../collector/assemble.ts";
import { assemblePending } from "../../collector/assembler.ts";
import { createStore } from "../../collector/store.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { observations } from "./arbitrary.ts";
import { call, NOON, run, spanId, traceId, turn } from "./observations.ts";
import { ARRIVALS, assembledRows } from "./rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

let projects = 100;

/** A project of its own, with a clock that a test moves by hand. */
function newProject() {
  projects += 1;
  const projectId = projects;
  let now = NOON;
  const clock = () => new Date(now);
  const store = createStore({ db: database.db, clock, projectId });
  return {
    projectId,
    later: (milliseconds: number) => {
      now += milliseconds;
    },
    store,
    send: (...spans: ReceivedObservation[]) => store.insert(spans),
    assemble: () => assemblePending(database.db, { clock, projectId }),
    rows: (without?: string[]) => assembledRows(database.db, projectId, without),
    dirty: async () => {
      const rows = await database.db
        .selectFrom("dirty_run")
        .select("run_id")
        .where("project_id", "=", projectId)
        .orderBy("run_id")
        .execute();
      return rows.map((row) => row.run_id);
    },
    clean: () => database.db.deleteFrom("dirty_run").where("project_id", "=", projectId).execute(),
    waiting: async () => {
      const rows = await database.db
        .selectFrom("unassembled")
        .select("unit")
        .where("project_id", "=", projectId)
        .execute();
      return rows.map((row) => row.unit).sort();
    },
  };
}

describe("storing", () => {
  it("keeps what a span says, exact times and first arrival", async () => {
    const project = newProject();
    const span = {
      ...call({ span: "a", parent: "p" }, { run_id: "r", tool: 'q"\\{},NULL ü' }),
      start_ns: 1_768_478_400_123_456_789n,
      end_ns: 1_768_478_400_999_999_999n,
    };
    expect(await project.send(span)).toEqual({ stored: 1, known: 0, refused: [] });
    const rows = await database.db
      .selectFrom("observation")
      .selectAll()
      .where("project_id", "=", project.projectId)
      .execute();
    expect(rows).toEqual([
      {
        project_id: project.projectId,
        trace_id: Buffer.from(span.trace_id, "hex"),
        span_id: Buffer.from(span.span_id, "hex"),
        parent_span_id: Buffer.from(spanId("p"), "hex"),
        start_time: new Date(1_768_478_400_123),
        start_ns: "1768478400123456789",
        end_ns: "1768478400999999999",
        received_at: new Date(NOON),
        source: "otlp",
        run_id: "r",
        record: span.record,
      },
    ]);
  });

  it("changes nothing when a span is sent again, in one request or in another", async () => {
    const project = newProject();
    const span = call({ span: "a" }, { run_id: "r", turn: 0, ordinal: 0 });
    expect(await project.send(span, span)).toMatchObject({ stored: 1, known: 1 });
    await project.assemble();
    const before = await project.rows();
    await project.clean();
    project.later(60_000);
    expect(await project.send(span)).toMatchObject({ stored: 0, known: 1 });
    expect(await project.waiting()).toEqual([]);
    await project.assemble();
    expect(await project.rows()).toEqual(before);
    expect(await project.dirty()).toEqual([]);
  });

  it("refuses times outside the retention and a day ahead, and says both times; files may tell of any", async () => {
    const project = newProject();
    const day = 24 * 60 * 60 * 1000;
    const old = call({ span: "a", start: -401 * day }, { run_id: "r" });
    const early = call({ span: "b", start: 2 * day }, { run_id: "r" });
    const long = call({ span: "d", start: 0, end: 3_000 * day }, { run_id: "r" });
    const right = call({ span: "c" }, { run_id: "r" });
    const result = await project.send(old, early, long, right);
    expect(result).toMatchObject({ stored: 1, known: 0 });
    expect(result.refused.map((one) => one.message)).toEqual([
      expect.stringContaining("start time 2024-12-10T12:00:00.000Z lies before 2024-12-11T12:00:00.000Z"),
      expect.stringContaining("time 2026-01-17T12:00:00.000Z lies after 2026-01-16T12:00:00.000Z"),
      expect.stringContaining("time 2034-04-03T12:00:00.000Z lies after 2026-01-16T12:00:00.000Z"),
    ]);
    expect(await project.store.insert([old, early], { allowAnyTime: true })).toMatchObject({ stored: 2, refused: [] });
  });

  it("stores all of a file's run or nothing", async () => {
    const project = newProject();
    const impossible = call({ span: "b" }, { run_id: "nul\0" });
    const spans = [call({ span: "a" }, { run_id: "r" }), impossible];
    await expect(project.store.insert(spans, { allowAnyTime: true })).rejects.toThrow();
    const rows = await database.db
      .selectFrom("observation")
      .select("span_id")
      .where("project_id", "=", project.projectId)
      .execute();
    expect(rows).toEqual([]);
    expect(await project.waiting()).toEqual([]);
  });

  it("stores more spans than one batch holds", async () => {
    const project = newProject();
    const spans = Array.from({ length: 4_500 }, (_, i) =>
      call({ span: `${i}` }, { run_id: `r${i % 300}`, turn: Math.floor(i / 300), ordinal: 0 }),
    );
    expect(await project.send(...spans)).toMatchObject({ stored: 4_500 });
    expect(await project.assemble()).toBe(300);
    expect((await project.rows()).call).toHaveLength(4_500);
  });

  it("makes a week anew that somebody dropped", async () => {
    const project = newProject();
    const weeks = 10 * 7 * 24 * 60 * 60 * 1000;
    const at = (span: string) => call({ span, start: -weeks }, { run_id: "r", turn: 0, ordinal: 0 });
    await project.send(at("a"));
    await sql`drop table observation_w20251103, call_w20251103, turn_w20251103`.execute(database.db);
    expect(await project.send(at("b"))).toMatchObject({ stored: 1 });
    await sql`drop table call_w20251103, turn_w20251103`.execute(database.db);
    await project.assemble();
    expect((await project.rows()).call).toHaveLength(1);
  });
});

describe("assembling what is stored", () => {
  it("writes runs, turns and calls, and marks the runs for the linker", async () => {
    const project = newProject();
    await project.send(
      run({ span: "a", start: 0, end: 100 }, { run_id: "r", agent_name: "boss", outcome: "completed" }),
      turn(
        { span: "m", parent: "a", start: 1, end: 10 },
        { run_id: "r", turn: 0, model: "m", input_tokens: 6_500, output_tokens: 350 },
      ),
      call(
        { span: "c", parent: "m", start: 11, end: 12 },
        {
          run_id: "r",
          turn: 0,
          ordinal: 0,
          failure_class: "schema",
          verdict: "rejected",
          fingerprint: "invalid:start:date_format",
          argument_digests: ["a=0011223344556677", 'q"=8899aabbccddeeff'],
          cohort: { tier: "gold" },
        },
      ),
    );
    expect(await project.assemble()).toBe(1);
    const rows = await project.rows();
    expect(rows.run).toMatchObject([
      {
        run_id: "r",
        agent_name: "boss",
        outcome: "completed",
        ended: true,
        turns: 1,
        calls: 1,
        text_only_turns: 0,
        model: "m",
        time_source: "span",
      },
    ]);
    expect(rows.turn).toMatchObject([{ turn: 0, input_tokens: 6_500, output_tokens: 350, duration_ms: 9 }]);
    expect(rows.call).toMatchObject([
      {
        turn: 0,
        ordinal: 0,
        tool: "search",
        link_tool: "search",
        verdict: "rejected",
        argument_digests: ["a=0011223344556677", 'q"=8899aabbccddeeff'],
        fingerprints: null,
        model: "m",
        agent_name: "boss",
        risk: "unstated",
        cohort: { keys: { tier: "gold" } },
      },
    ]);
    expect(await project.dirty()).toEqual(["r"]);
    expect(await project.waiting()).toEqual([]);
  });

  it("moves spans into the run whose agent span comes late, and takes away the run that the trace was", async () => {
    const project = newProject();
    await project.send(call({ span: "c", parent: "a", start: 5, end: 6 }));
    await project.assemble();
    expect((await project.rows()).run).toMatchObject([{ run_id: traceId("t") }]);
    await project.clean();
    await project.send(run({ span: "a", start: 0, end: 9 }, { run_id: "r" }));
    await project.assemble();
    const rows = await project.rows();
    expect(rows.run).toMatchObject([{ run_id: "r", calls: 1 }]);
    expect(rows.call).toMatchObject([{ run_id: "r" }]);
    expect(await project.dirty()).toEqual(["r", traceId("t")].sort());
  });

  it("moves spans from one stated run to another that stands nearer", async () => {
    const project = newProject();
    await project.send(
      call({ span: "c", parent: "b", start: 5, end: 6 }),
      run({ span: "a", start: 0, end: 9 }, { run_id: "outer" }),
    );
    await project.assemble();
    expect((await project.rows()).run).toMatchObject([{ run_id: "outer", calls: 1 }]);
    await project.send(run({ span: "b", parent: "a", start: 1, end: 8 }, { run_id: "inner" }));
    await project.assemble();
    expect((await project.rows()).run).toMatchObject([
      { run_id: "inner", calls: 1 },
      { run_id: "outer", calls: 0 },
    ]);
  });

  it("unites a run that is stated under a trace's own id with what that trace holds", async () => {
    const project = newProject();
    await project.send(call({ span: "c", start: 1 }));
    await project.send(run({ span: "a", trace: "u" }, { run_id: traceId("t"), outcome: "completed" }));
    await project.assemble();
    expect((await project.rows()).run).toMatchObject([{ run_id: traceId("t"), calls: 1, outcome: "completed" }]);
  });

  it("gives the same rows in whatever order and in however many requests observations come", async () => {
    const split = observations.chain((all) =>
      fc.record({
        all: fc.constant(all),
        shuffled: fc.shuffledSubarray(all, { minLength: all.length }),
        again: fc.subarray(all),
        cuts: fc.array(fc.nat(all.length), { maxLength: 3 }),
        between: fc.infiniteStream(fc.boolean()),
      }),
    );
    await fc.assert(
      fc.asyncProperty(split, async ({ all, shuffled, again, cuts, between }) => {
        const whole = newProject();
        await whole.send(...all);
        await whole.assemble();
        const pieces = newProject();
        const stream = [...shuffled, ...again];
        const bounds = [...new Set([0, ...cuts, stream.length])].sort((a, b) => a - b);
        for (let i = 1; i < bounds.length; i += 1) {
          await pieces.send(...stream.slice(bounds[i - 1], bounds[i]));
          if (between.next().value) await pieces.assemble();
        }
        await pieces.assemble();
        expect(await pieces.rows(ARRIVALS)).toEqual(await whole.rows(ARRIVALS));
        expect(await pieces.waiting()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("gives the same rows when several assemble while spans arrive", async () => {
    const spans = Array.from({ length: 240 }, (_, i) => {
      const trace = `t${i % 12}`;
      const facts = i % 3 === 0 ? { run_id: `r${i % 9}` } : {};
      const place = { span: `${i}`, trace, start: i, end: i + 1, ...(i >= 12 && { parent: `${i - 12}` }) };
      if (i % 5 === 0) return run(place, facts);
      return i % 7 === 0 ? turn(place, facts) : call(place, { ...facts, call_id: `x${i}` });
    });
    const whole = newProject();
    await whole.send(...spans);
    await whole.assemble();
    const project = newProject();
    const sending = (async () => {
      for (let i = 0; i < spans.length; i += 16)
        await Promise.all([project.send(...spans.slice(i, i + 8)), project.send(...spans.slice(i + 8, i + 16))]);
    })();
    let sent = false;
    const done = sending.finally(() => {
      sent = true;
    });
    const assembling = [1, 2, 3].map(async () => {
      while (!sent) await project.assemble();
    });
    await Promise.all([done, ...assembling]);
    await project.assemble();
    expect(await project.waiting()).toEqual([]);
    expect(await project.rows(ARRIVALS)).toEqual(await whole.rows(ARRIVALS));
  });
});
