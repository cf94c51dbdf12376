/** What the demo's traffic shows, as laws measured from the API: agents → exporter → collector → episodes → answers. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FunnelAnswer, Group } from "../../analytics/questions/answer.ts";
import { createRunner } from "../../demo/runner.ts";
import { SCENARIOS, type ScenarioName } from "../../demo/scenarios.ts";
import { type DemoTelemetry, startTelemetry } from "../../demo/telemetry.ts";
import { startTestService, type TestService } from "../support/service.ts";

/** A Tuesday at noon: the same runs whenever the test runs. */
const START = new Date("2026-03-10T12:00:00Z");
const RUNS = 1_000;

interface Demo {
  readonly service: TestService;
  readonly telemetry: DemoTelemetry;
  /** Groups of a funnel's answer by the only dimension that is asked for. */
  groups(by: string, filters?: string): Promise<Map<unknown, Group>>;
  close(): Promise<void>;
}

async function startDemo(name: ScenarioName, runs: number): Promise<Demo> {
  const service = await startTestService({ clock: () => START });
  const telemetry = startTelemetry({ url: service.url });
  const key = "a key of at least sixteen bytes";
  const runner = createRunner({ scenario: SCENARIOS[name], seed: 1, start: START.getTime(), telemetry, key });
  await runner.past(runs, new AbortController().signal, () => {});
  await telemetry.flush();
  await service.settled();
  return {
    service,
    telemetry,
    async groups(by, filters = "last=all") {
      const answer = await service.ask<FunnelAnswer>(`/api/v1/funnel?group_by=${by}&${filters}`);
      return new Map(answer.groups.map((group) => [group.key[by], group]));
    },
    async close() {
      await telemetry.shutdown();
      await service.close();
    },
  };
}

const firstRepair = (group: Group | undefined) => group!.rates.first_repair_rate.value!;
const badEndings = ({ terminal_outcomes }: Group) =>
  (["unsuccessful", "escalated", "blocked", "exhausted", "failed"] as const).reduce(
    (sum, outcome) => sum + terminal_outcomes[outcome].numerator,
    0,
  );
const badShare = (group: Group | undefined) => badEndings(group!) / group!.funnel.settled;
const SINCE_ROLLOUT = "from=2026-03-03T12:00:00Z&to=2026-03-10T12:00:00Z";
const between = (from: string, to: string) => `from=${from}&to=${to}`;

describe("healthy", () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo("healthy", RUNS);
  });
  afterAll(() => demo?.close());

  async function counted(column: string): Promise<Map<unknown, number>> {
    const { rows } = await sql<{ value: unknown; count: number }>`
      -- one row per value
      select ${sql.ref(column)} as value, count(*)::int as count from call group by 1
    `.execute(demo.service.db);
    return new Map(rows.map(({ value, count }) => [value, count]));
  }

  test("no span is lost: as many observations as spans were begun", async () => {
    const { begun, sent, dropped, failed, waiting } = demo.telemetry.counts;
    expect({ sent, dropped, failed, waiting }).toEqual({ sent: begun, dropped: 0, failed: 0, waiting: 0 });
    const { rows } = await sql<{ count: number }>`
      -- one row in all
      select count(*)::int as count from observation
    `.execute(demo.service.db);
    expect(rows[0]!.count).toBe(begun);
  });

  test("every run is there and has ended: nothing waits, nothing is pending", async () => {
    const answer = await demo.service.ask<FunnelAnswer>("/api/v1/funnel?last=all");
    expect(answer.runs_waiting).toBe(0);
    expect(answer.overall.runs).toBe(RUNS);
    expect(answer.overall.funnel.pending).toBe(0);
    expect(answer.overall.funnel.opened).toBe(answer.overall.first_attempts.rejected);
  });

  test("every class of failure occurs that a demo should show", async () => {
    const classes = await counted("failure_class");
    for (const known of ["malformed", "schema", "unknown_tool", "tool_input", "denied", "execution", "timeout"]) {
      expect(classes.get(known) ?? 0, known).toBeGreaterThan(0);
    }
  });

  test("every outcome of a run occurs, and some are unknown", async () => {
    const { rows } = await sql<{ outcome: string | null }>`
      -- one row per outcome
      select distinct outcome from run
    `.execute(demo.service.db);
    expect(rows.map(({ outcome }) => String(outcome)).toSorted()).toEqual(
      ["blocked", "completed", "escalated", "exhausted", "failed", "null", "unsuccessful"].toSorted(),
    );
  });

  test("there are two agents, two environments, several models, every risk class, and tools that nothing checks", async () => {
    expect((await counted("agent_name")).size).toBe(2);
    expect((await counted("environment")).size).toBe(2);
    expect((await counted("model")).size).toBe(3);
    expect([...(await counted("risk")).keys()].toSorted()).toEqual(
      ["read", "unstated", "write_irreversible", "write_reversible"].toSorted(),
    );
    expect((await counted("validated")).get(false)).toBeGreaterThan(0);
    expect((await counted("retryability")).get("as_is")).toBeGreaterThan(0);
  });

  test("exports are accepted under a continuation, and complete or fail later under the same one", async () => {
    const { rows } = await sql<{ states: string[] }>`
      -- one row per continuation: the states that its calls told, in order
      select array_agg(result_state order by start_time) as states
      from call where continuation_id is not null group by continuation_id
    `.execute(demo.service.db);
    for (const { states } of rows) expect(states[0]).toBe("accepted");
    const ends = new Set(rows.map(({ states }) => states.at(-1)));
    expect([...ends].toSorted()).toEqual(["accepted", "completed", "failed"].toSorted());
  });

  test("the texts that give the corrected call repair more on the next turn, of every tool with evidence, and end better", async () => {
    const arms = await demo.groups("template_version", SINCE_ROLLOUT);
    expect(firstRepair(arms.get("example-2"))).toBeGreaterThan(firstRepair(arms.get("terse-1")) + 0.2);
    expect(badShare(arms.get("example-2"))).toBeLessThan(badShare(arms.get("terse-1")));
    const tools = await demo.groups("tool", "last=all&template_version=example-2");
    for (const [tool, group] of tools) {
      if (group.funnel.settled >= 5) expect(firstRepair(group), String(tool)).toBeGreaterThan(0.5);
    }
  });

  test("what follows a terse text is near METRICS.md section 6, before", async () => {
    const { rates, funnel } = (await demo.groups("rung")).get(1)!;
    expect(funnel.settled).toBeGreaterThan(100);
    expect(rates.first_repair_rate.value).toBeGreaterThan(0.32);
    expect(rates.first_repair_rate.value).toBeLessThan(0.48);
    expect(rates.eventual_repair_rate.value).toBeGreaterThan(0.6);
    expect(rates.eventual_repair_rate.value).toBeLessThan(0.8);
    expect(rates.unchanged_repeat_rate.value).toBeGreaterThan(0.08);
  });

  test("before the rollout all calls stand under the terse texts; since then about a fifth under the new ones", async () => {
    const before = await demo.groups("template_version", between("2026-02-20T00:00:00Z", "2026-03-03T12:00:00Z"));
    expect([...before.keys()]).toEqual(["terse-1"]);
    const since = await demo.groups("template_version", SINCE_ROLLOUT);
    const [old, fresh] = ["terse-1", "example-2"].map((version) => since.get(version)!.runs) as [number, number];
    expect(fresh / (old + fresh)).toBeGreaterThan(0.12);
    expect(fresh / (old + fresh)).toBeLessThan(0.28);
  });

  test("the second schema of list_transactions is called wrongly less often than the first", async () => {
    const versions = await demo.groups("schema_version", "last=all&tool=list_transactions");
    const failing = (version: string) => versions.get(version)!.rates.first_attempt_failure_rate.value!;
    expect([...versions.keys()].toSorted()).toEqual(["1", "2"]);
    expect(failing("2")).toBeLessThan(failing("1"));
  });

  test("only one model's provider leaves out what came from a cache, and some runs have no usage at all", async () => {
    const { rows } = await sql<{ model: string; cached: number; known: number; turns: number }>`
      -- one row per model
      select model, count(cached_input_tokens)::int as cached, count(input_tokens)::int as known, count(*)::int as turns
      from turn group by model
    `.execute(demo.service.db);
    for (const { model, cached, known, turns } of rows) {
      expect(cached, model).toBe(model === "sonata-2" ? 0 : known);
      expect(known / turns).toBeGreaterThan(0.9);
    }
    expect(rows.some(({ known, turns }) => known < turns)).toBe(true);
  });
});

describe("hidden-harm", () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo("hidden-harm", 2 * RUNS);
  });
  afterAll(() => demo?.close());

  test("on average the new texts repair more on the next turn", async () => {
    const arms = await demo.groups("template_version", SINCE_ROLLOUT);
    expect(firstRepair(arms.get("example-2"))).toBeGreaterThan(firstRepair(arms.get("terse-1")));
  });

  test("on the tool that cannot be undone they repair less, and more of its runs end badly", async () => {
    const arms = await demo.groups("template_version", `${SINCE_ROLLOUT}&tool=issue_credit`);
    expect(arms.get("example-2")!.by_risk.map(({ risk }) => risk)).toEqual(["write_irreversible"]);
    expect(firstRepair(arms.get("example-2"))).toBeLessThan(firstRepair(arms.get("terse-1")));
    expect(badShare(arms.get("example-2"))).toBeGreaterThan(badShare(arms.get("terse-1")));
  });
});

describe("small", () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo("small", SCENARIOS.small.runs);
  });
  afterAll(() => demo?.close());

  test("there is something to see and too little to say: the intervals of both texts overlap", async () => {
    const arms = await demo.groups("template_version");
    const [old, fresh] = ["terse-1", "example-2"].map((version) => arms.get(version)?.rates.first_repair_rate);
    expect(old?.denominator).toBeGreaterThan(3);
    expect(old?.interval).not.toBeNull();
    if (fresh?.interval) expect(fresh.interval.low).toBeLessThan(old!.interval!.high);
  });
});
