/**
 * METRICS.md section 6, as runs of a real instrumented executor: the tool, the "model" that calls it by script, and the
 * table's rows. Times come from a fake clock; everything else is what an application would run.
 */
import { instrumentExecutor, startRun, ToolInputError } from "@mulligan/instrumentation";

/** One week of the table, in episodes at full scale. */
export interface Week {
  readonly nextTurn: number;
  readonly secondTurn: number;
  readonly escalated: number;
  readonly exhausted: number;
}

export const BEFORE: Week = { nextTurn: 912, secondTurn: 684, escalated: 342, exhausted: 342 };
export const AFTER: Week = { nextTurn: 1_938, secondTurn: 114, escalated: 114, exhausted: 114 };
export const RUNS = 10_000;
export const FIRST_ATTEMPTS_PER_RUN = 6;
export const USAGE = { inputTokens: 6_500, outputTokens: 350 };
/** A turn that repairs costs the model's response; a turn that is rejected again costs that and the validation: 1.14 s each. */
const RESPONSE_MS = 1_140;
const VALIDATION_MS = 20;

type Ending = keyof Week | "valid";

/** Endings of a week's runs, spread evenly so that no time of the week is special. */
function endings(week: Week, scale: number, runs: number): Ending[] {
  const all: Ending[] = Array.from({ length: runs }, () => "valid");
  const rejected = (Object.keys(week) as (keyof Week)[]).flatMap((ending) =>
    Array.from({ length: whole(week[ending] * scale) }, () => ending),
  );
  for (const [index, ending] of rejected.entries()) all[Math.floor((index * runs) / rejected.length)] = ending;
  return all;
}

/** A scale must keep every row of the table whole. */
function whole(number: number): number {
  if (!Number.isInteger(number)) throw new Error(`the scale cuts an episode in two: ${number}`);
  return number;
}

export interface Traffic {
  readonly week: Week;
  /** What the table's rows are multiplied by. */
  readonly scale: number;
  /** Runs of the week, `FIRST_ATTEMPTS_PER_RUN` first attempts each. */
  readonly runs: number;
  readonly templateVersion: string;
  /** When the week begins. */
  readonly from: Date;
  /** Called after each run: lets the exporter send, and shows progress. */
  readonly afterRun?: (done: number, of: number) => Promise<void> | void;
}

/** Runs one week's agents through the instrumentation. */
export async function runWeek({ week, scale, runs, templateVersion, from, afterRun }: Traffic): Promise<void> {
  const plan = endings(week, scale, runs);
  let now = from.getTime();
  const clock = () => now;
  /** The user's tool: dates must be ISO. */
  function bookRoom({ arguments: text }: { name: string; id: string; arguments: string }): string {
    const { start } = JSON.parse(text) as { start: string };
    if (/^\d{4}-\d\d-\d\d$/.test(start)) return "booked";
    now += VALIDATION_MS;
    throw new ToolInputError({ parameter: "start", category: "date_format" });
  }
  const execute = instrumentExecutor(bookRoom, {
    tools: [{ name: "book_room", parameters: { type: "object", properties: { start: { type: "string" } } } }],
    templateVersion,
    clock,
  });

  const weekMs = 7 * 24 * 60 * 60 * 1000;
  for (const [index, ending] of plan.entries()) {
    now = from.getTime() + Math.floor((index * weekMs) / plan.length);
    const run = startRun({ agent: "bookings", clock });
    const call = (start: string, durationMs: number): void => {
      now += durationMs;
      run.turn({ model: "example-model", usage: USAGE, durationMs }).with(() => {
        try {
          execute({ name: "book_room", id: `call_${now}`, arguments: JSON.stringify({ start }) });
        } catch (error) {
          if (!(error instanceof ToolInputError)) throw error;
        }
      });
    };
    const accepted = () => call("2026-01-15", RESPONSE_MS);
    const rejected = (start: string) => call(start, RESPONSE_MS - VALIDATION_MS);

    const clean = ending === "valid" ? FIRST_ATTEMPTS_PER_RUN : FIRST_ATTEMPTS_PER_RUN - 1;
    for (let first = 0; first < clean; first += 1) accepted();
    if (ending !== "valid") rejected("January 2026");
    if (ending === "nextTurn") accepted();
    if (ending === "secondTurn") {
      rejected("1 January");
      accepted();
    }
    if (ending === "escalated") rejected("1 January");
    if (ending === "exhausted") for (let turn = 0; turn < 3; turn += 1) rejected("January 2026");
    if (ending === "exhausted") run.end("exhausted", { budget: "turns" });
    else run.end(ending === "escalated" ? "escalated" : "completed");
    await afterRun?.(index + 1, plan.length);
  }
}
