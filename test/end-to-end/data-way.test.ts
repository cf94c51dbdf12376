/** One call from a model's proposal to an answer: the test to read first. */
import { instrumentExecutor, recordRunOutcome, startRun, ToolInputError } from "@mulligan/instrumentation";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FunnelAnswer } from "../../analytics/questions/answer.ts";
import type { RunAnswer } from "../../analytics/questions/run-answer.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTelemetry, type Telemetry } from "../support/telemetry.ts";

const tools = [
  {
    type: "function",
    function: {
      name: "book_room",
      parameters: {
        type: "object",
        properties: { start: { type: "string", format: "date" }, nights: { type: "integer", minimum: 1 } },
        required: ["start", "nights"],
      },
    },
  },
] as const;

/** What an application has already: runs one call, its own error text. */
async function bookRoom(call: { id: string; name: string; arguments: string }): Promise<string> {
  const { start } = JSON.parse(call.arguments) as { start: string };
  if (!/^\d{4}-\d\d-\d\d$/.test(start)) {
    throw new ToolInputError({ parameter: "start", category: "date_format", example: "2026-01-15" });
  }
  return `booked from ${start}`;
}

let service: TestService;
let telemetry: Telemetry;

beforeAll(async () => {
  service = await startTestService();
  telemetry = startTelemetry(service.url);
});

afterAll(async () => {
  await telemetry.shutdown();
  await service.close();
});

async function arrived(): Promise<void> {
  await telemetry.flush();
  await service.settled();
}

test("a rejected call and its repair become spans, rows, an episode, and an answer", async () => {
  const execute = instrumentExecutor(bookRoom, { tools, templateVersion: "v1" });
  const run = startRun({ agent: "bookings" });
  const rejected = run.turn({ model: "example-model", usage: { inputTokens: 900, outputTokens: 30 }, durationMs: 500 });
  await expect(
    rejected.with(() => execute({ id: "a", name: "book_room", arguments: '{"start":"next Monday","nights":2}' })),
  ).rejects.toThrow(ToolInputError);
  const repaired = run.turn({ model: "example-model", usage: { inputTokens: 990, outputTokens: 31 }, durationMs: 600 });
  await expect(
    repaired.with(() => execute({ id: "b", name: "book_room", arguments: '{"start":"2026-01-15","nights":2}' })),
  ).resolves.toBe("booked from 2026-01-15");
  run.end("completed");
  await arrived();

  const { overall } = await service.ask<FunnelAnswer>("/api/v1/funnel?template_version=v1");
  expect(overall.first_attempts).toEqual({ total: 1, accepted: 0, rejected: 1 });
  expect(overall.rates.first_repair_rate).toMatchObject({ numerator: 1, denominator: 1, value: 1, pending: 0 });
  expect(overall.rates.targeted_change_rate).toMatchObject({ numerator: 1, denominator: 1 });
  expect(overall.terminal_outcomes.completed).toMatchObject({ numerator: 1, denominator: 1 });
  expect(overall.funnel.usage).toMatchObject({
    model_turns: 1,
    input_tokens: 990,
    output_tokens: 31,
    duration_ms: 600,
  });

  const story = await service.ask<RunAnswer>(`/api/v1/runs/${run.id}`);
  expect(story.calls.map(({ turn, tool, verdict }) => [turn, tool, verdict])).toEqual([
    [0, "book_room", "rejected"],
    [1, "book_room", "accepted"],
  ]);
  expect(story.episodes.map(({ opening, attempts }) => [opening, attempts])).toEqual([
    [{ turn: 0, ordinal: 0 }, [{ turn: 1, ordinal: 0, evidence: "digest" }]],
  ]);
});

test("the five-line wrap alone, without run and turn, gives the same episode with inferred turns", async () => {
  const execute = instrumentExecutor(bookRoom, { tools, templateVersion: "five-lines" });
  await execute({ id: "a", name: "book_room", arguments: '{"start":"soon","nights":1}' }).catch(() => undefined);
  await execute({ id: "b", name: "book_room", arguments: '{"start":"2026-02-01","nights":1}' });
  await arrived();
  const { overall } = await service.ask<FunnelAnswer>("/api/v1/funnel?template_version=five-lines");
  expect(overall.funnel).toMatchObject({ opened: 1, settled: 0, pending: 1 });
  expect(overall.funnel.open.map(({ row, episodes }) => [row, episodes])).toContainEqual(["repaired_turn_1", 1]);
  expect(overall.inferred_turns).toMatchObject({ numerator: 2, denominator: 2 });
});

test("an outcome that is reported later, from elsewhere, settles the run's episodes and counts once when sent twice", async () => {
  const execute = instrumentExecutor(bookRoom, { tools, templateVersion: "later" });
  const run = startRun({ agent: "bookings" });
  await run
    .turn()
    .with(() => execute({ id: "a", name: "book_room", arguments: '{"start":"soon","nights":1}' }))
    .catch(() => undefined);
  await arrived();
  const before = await service.ask<FunnelAnswer>("/api/v1/funnel?template_version=later");
  expect(before.overall.funnel).toMatchObject({ settled: 0, pending: 1 });
  recordRunOutcome(run.id, "escalated");
  recordRunOutcome(run.id, "escalated");
  await arrived();
  const after = await service.ask<FunnelAnswer>("/api/v1/funnel?template_version=later");
  expect(after.overall.funnel).toMatchObject({ settled: 1, pending: 0, handovers: 1 });
  expect(after.overall.terminal_outcomes.escalated).toMatchObject({ numerator: 1, denominator: 1 });
});

test("a call to a tool that was not offered is repaired by the same arguments to one that was, through the whole way", async () => {
  const execute = instrumentExecutor(bookRoom, { tools, mode: "enforce", templateVersion: "unknown-tool" });
  const run = startRun({ agent: "bookings" });
  const given = '{"start":"2026-01-15","nights":2}';
  await run
    .turn()
    .with(() => execute({ id: "a", name: "book_hotel", arguments: given }))
    .catch(() => undefined);
  await run.turn().with(() => execute({ id: "b", name: "book_room", arguments: given }));
  run.end("completed");
  await arrived();
  const { overall } = await service.ask<FunnelAnswer>("/api/v1/funnel?template_version=unknown-tool");
  expect(overall.first_attempts).toEqual({ total: 1, accepted: 0, rejected: 1 });
  expect(overall.rates.first_repair_rate).toMatchObject({ numerator: 1, denominator: 1 });
});
