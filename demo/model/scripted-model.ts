/** A language model by script: it proposes the calls of its task, slips, reads error texts, and reacts to what they say. */
import type { RunOutcome } from "@mulligan/instrumentation";
import type { Random } from "../random.ts";
import type { Arguments } from "../tools/tool.ts";
import { COPIES, MISLED, type Profile, REPEATS, type Reaction, SLIP_SHARES, TAUGHT, UNTAUGHT } from "./profiles.ts";
import { type Reading, read } from "./reading.ts";
import { type Draft, draft, SLIPS } from "./slips.ts";
import type { Goal, Task } from "./tasks.ts";

/** What came of one proposed call, as the model reads it. */
export interface Read {
  readonly failed: boolean;
  readonly text: string;
}

/** One response: calls, or a text that asks something back, or one that ends the run with what it says of the task. */
export type Response =
  | { readonly calls: readonly Draft[] }
  | { readonly text: "asks back" }
  | { readonly text: "ends"; readonly outcome: RunOutcome };

export interface ScriptedModel {
  respond(): Response;
  /** What came of the calls of the latest response, in their order. */
  read(results: readonly Read[]): void;
}

/** A goal that is being worked on. */
interface Work {
  readonly goal: Goal;
  readonly right: Draft;
  next: Draft;
  /** The second wrong form, where it slipped. */
  second: Draft | undefined;
  reaction: Reaction | undefined;
  failures: number;
  state: "open" | "done" | "dropped";
}

const ASKS_BACK = 0.12;
const MOST_TRIES = 3;

export interface ModelOptions {
  readonly task: Task;
  readonly profile: Profile;
  readonly random: Random;
  /** The version of `list_transactions`' schema that it was offered. */
  readonly release: "1" | "2";
}

export function scriptedModel({ task, profile, random, release }: ModelOptions): ScriptedModel {
  const memory = new Map<string, Arguments>();
  const stages = [...task.stages];
  let works: Work[] = [];
  let ending: RunOutcome | undefined;

  function begin(goal: Goal): Work {
    const right = draft(goal.tool, goal.args(memory));
    const share = SLIP_SHARES[goal.tool] ?? SLIP_SHARES[`${goal.tool}@${release}`] ?? 0;
    const slips = random.chance(share * profile.slips);
    const kinds = SLIPS[goal.tool] ?? [];
    const slip = slips && kinds.length > 0 ? random.weighted(kinds.map((kind) => [kind, kind.weight])) : undefined;
    const [first, second] = slip?.forms(goal.args(memory)) ?? [right, undefined];
    return { goal, right, next: first, second, reaction: undefined, failures: 0, state: "open" };
  }

  function drop(work: Work, outcome: RunOutcome): void {
    work.state = "dropped";
    if (work.goal.essential) ending = outcome;
  }

  function refused(work: Work, { teaches, instead }: Reading): void {
    const { failures } = work;
    const reaction = work.reaction ?? random.weighted(teaches ? TAUGHT : UNTAUGHT);
    const copied = failures > 1 && work.reaction === "next";
    work.reaction = copied ? random.weighted(MISLED) : reaction;
    if (work.reaction === "next") work.next = !copied && instead && random.chance(COPIES) ? instead : work.right;
    if (work.reaction === "second") work.next = failures > 1 ? work.right : (work.second ?? work.right);
    if (work.reaction === "escalate") {
      if (failures > 1) ending = "escalated";
      else work.next = work.second ?? work.next;
    }
  }

  function failed(work: Work, text: string): void {
    work.failures += 1;
    const reading = read(text, work.next);
    if (reading.kind === "refused") {
      refused(work, reading);
      return;
    }
    const repeats = REPEATS[reading.kind][reading.teaches ? "taught" : "untaught"];
    if (work.failures < MOST_TRIES && random.chance(repeats)) return;
    drop(work, reading.kind === "denied" ? "blocked" : random.chance(0.4) ? "failed" : "unsuccessful");
  }

  function succeeded(work: Work, text: string): void {
    const result = JSON.parse(text) as Arguments;
    memory.set(work.goal.tool, result);
    const goesOn = work.goal.poll === true && result.state === "started";
    if (!goesOn) work.state = "done";
    if (work.goal.poll === true && result.state === "failed") ending = "unsuccessful";
  }

  return {
    respond() {
      works = works.filter(({ state }) => state === "open");
      if (ending !== undefined) return { text: "ends", outcome: ending };
      if (works.length === 0) {
        const stage = stages.shift();
        if (stage === undefined) return { text: "ends", outcome: "completed" };
        if (random.chance(ASKS_BACK)) {
          stages.unshift(stage);
          return { text: "asks back" };
        }
        works = stage.map(begin);
      }
      return { calls: works.map(({ next }) => next) };
    },
    read(results) {
      for (const [index, { failed: isFailure, text }] of results.entries()) {
        (isFailure ? failed : succeeded)(works[index]!, text);
      }
    },
  };
}
