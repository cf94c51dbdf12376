/** The τ-bench transcripts, imported as a person would, give the numbers of an independent implementation. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { invoke } from "../../cli/invoke.ts";
import { readConfig } from "../../config.ts";
import type { Verification } from "../../verification/verify.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const shared = process.env.MULLIGAN_SHARED ?? join(root, "../shared");
const transcript = join(shared, "data/tau-bench/gpt-4o-airline.json");
const present = existsSync(transcript);
if (!present)
  console.warn(
    `tau-bench.test.ts: ${transcript} is not there, so its tests are skipped (MULLIGAN_SHARED names the folder)`,
  );

/** Rates of both forms, ours and `{ n, d, rate }`, as numerator and denominator; everything else as it is. */
function counted(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(counted);
  if (typeof answer !== "object" || answer === null) return answer;
  if ("n" in answer && "d" in answer) return { numerator: answer.n, denominator: answer.d };
  if ("numerator" in answer && "denominator" in answer) {
    return { numerator: answer.numerator, denominator: answer.denominator };
  }
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, counted(value)]));
}

/** What of `ours` has a name in the expected object; the rest is ours alone. */
function named(ours: unknown, expected: object): unknown {
  const known = ours as Record<string, unknown>;
  return Object.fromEntries(Object.keys(expected).map((key) => [key, counted(known[key])]));
}

describe.skipIf(!present)("import of τ-bench, then summary --json", () => {
  let folder: string;
  let summary: Record<string, unknown>;
  let again: Record<string, unknown>;
  let verification: Verification;
  const expected = present ? JSON.parse(readFileSync(join(shared, "data/expected/tau-bench.json"), "utf8")) : {};

  async function mulligan(...args: string[]): Promise<string> {
    let out = "";
    let err = "";
    const code = await invoke({
      args,
      commands: COMMANDS,
      config: readConfig({ MULLIGAN_DATA_DIR: join(folder, "data") }),
      clock: () => new Date(),
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
      signal: new AbortController().signal,
    });
    expect(err.split("\n").filter((line) => /error|fail/i.test(line))).toEqual([]);
    expect(code).toBe(0);
    return out;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mulligan-tau-"));
    const importing = [
      "import",
      "--format",
      "openai-chat",
      "--rules",
      join(root, "examples/rules/tau-bench.yaml"),
      transcript,
    ];
    await mulligan(...importing);
    summary = JSON.parse(await mulligan("summary", "--json"));
    await mulligan(...importing);
    again = JSON.parse(await mulligan("summary", "--json"));
    verification = JSON.parse(await mulligan("verify", "--json"));
  }, 240_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const skipped = new Set(["rules", "files", "source", "listing"]);
  const keys = Object.keys(expected).filter((key) => !skipped.has(key) && key !== "by_tool");

  test.each(keys)("%s is the expected one", (key) => {
    expect(counted(summary[key])).toEqual(counted(expected[key]));
  });

  test("every rate's value is the expected one, to the six decimals that are stated", () => {
    const rates = summary.rates as Record<string, { value: number | null }>;
    for (const [name, { rate }] of Object.entries(expected.rates as Record<string, { rate: number | null }>)) {
      if (rate === null) expect(rates[name]!.value, name).toBeNull();
      else expect(rates[name]!.value, name).toBeCloseTo(rate, 6);
    }
  });

  test("every tool has the expected numbers, and there is no other tool", () => {
    const tools = summary.by_tool as Record<string, object>;
    expect(Object.keys(tools).sort()).toEqual(Object.keys(expected.by_tool).sort());
    for (const [tool, numbers] of Object.entries(expected.by_tool)) {
      expect(named(tools[tool], numbers as object), tool).toEqual(counted(numbers));
    }
  });

  test("every listed episode is among ours, field by field", () => {
    const ours = (summary.listing as { repair: object[] }).repair;
    expect(ours).toHaveLength(expected.episodes.repair.opened);
    for (const episode of expected.listing.repair) expect(ours).toContainEqual(expect.objectContaining(episode));
  });

  test("what is stored, the rollups too, is what the observations say", () => {
    expect(verification.differences).toEqual({ total: 0, listed: [] });
    expect(verification).toMatchObject({ runs: expected.runs, runs_waiting: 0, runs_set_aside: 0 });
    for (const { table, rows } of verification.tables) expect(rows, table).toBeGreaterThan(0);
  });

  test("a second import changes nothing", () => {
    const { as_of: _, ...first } = summary;
    const { as_of: __, ...second } = again;
    expect(second).toEqual(first);
  });
});
