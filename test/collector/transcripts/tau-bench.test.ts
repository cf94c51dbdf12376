import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRules } from "../../../collector/rules.ts";
import { createErrorTexts } from "../../../collector/transcripts/error-texts.ts";
import { openaiChat } from "../../../collector/transcripts/openai-chat.ts";
import { outcomeOf, signer } from "./reading.ts";

const shared = process.env.MULLIGAN_SHARED ?? join(import.meta.dirname, "../../../../shared");
const file = join(shared, "data/tau-bench/gpt-4o-airline.json");
const absent = !existsSync(file);
if (absent) process.stderr.write(`skipped: the τ-bench file is not at ${file}; MULLIGAN_SHARED names its folder\n`);

describe.skipIf(absent)("200 real runs of τ-bench, whose call ids are reused across and inside runs", () => {
  test("give the runs, turns, calls, results, classes and outcomes of an independent reader", async () => {
    const expected = JSON.parse(readFileSync(join(shared, "data/expected/tau-bench.json"), "utf8"));
    const rulesFile = join(import.meta.dirname, "../../../examples/rules/tau-bench.yaml");
    const { rules } = readRules("tau-bench.yaml", readFileSync(rulesFile));
    const context = { file: "gpt-4o-airline.json", signer, errorTexts: createErrorTexts(rules, signer) };

    const keys = new Set<string>();
    const parts = { run: 0, turn: 0, proposal: 0, result: 0 };
    const classes: Record<string, number> = {};
    const outcomes: Record<string, number> = {};
    let turnsWithCalls = 0;
    for await (const run of openaiChat.read(createReadStream(file), context)) {
      if (run.kind !== "run") throw new Error(run.message);
      keys.add(run.key);
      outcomes[outcomeOf(run) ?? "unknown"] = (outcomes[outcomeOf(run) ?? "unknown"] ?? 0) + 1;
      expect(run.orphanResults).toEqual([]);
      turnsWithCalls += new Set(run.lines.filter((line) => line.part === "proposal").map((line) => line.turn)).size;
      for (const { part, record } of run.lines) {
        parts[part] += 1;
        if (part !== "result" || record.type !== "call") continue;
        const name = record.failure_class ?? "ok";
        classes[name] = (classes[name] ?? 0) + 1;
      }
    }
    expect(keys.size).toBe(expected.runs);
    expect(keys).toContain("0/0");
    expect(parts.turn).toBe(expected.model_turns);
    expect(parts.turn - turnsWithCalls).toBe(expected.text_only_turns);
    expect(parts.proposal).toBe(expected.tool_calls);
    expect(parts.result).toBe(expected.results);
    expect(classes).toEqual(expected.calls_by_class);
    expect(outcomes).toEqual(expected.run_outcomes);
  });
});
