import { describe, expect, test } from "vitest";
import { parseArguments } from "../../cli/arguments.ts";
import { defineCommand, UsageError } from "../../cli/command.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { commandHelp, generalHelp } from "../../cli/help.ts";
import { mulligan } from "../support/terminal.ts";

const sample = defineCommand({
  name: "sample",
  summary: "A sample.",
  options: {
    tool: { type: "string", description: "Tools.", multiple: true },
    last: { type: "string", description: "Time.", placeholder: "DURATION" },
    strict: { type: "boolean", description: "Strict." },
  },
  examples: [],
  run: async () => 0,
});

describe("arguments", () => {
  test("are typed by their declaration: lists empty, flags false, texts undefined where they were not given", () => {
    expect(parseArguments(sample, []).values).toEqual({
      ...{ tool: [], last: undefined, strict: false, json: false, help: false },
      "data-dir": undefined,
    });
    const { values } = parseArguments(sample, ["--tool", "a", "--tool=b", "--strict", "--last=7d", "-h"]);
    expect(values).toMatchObject({ tool: ["a", "b"], strict: true, last: "7d", help: true });
  });

  test.each([
    [["--tols", "x"], /--tols is no option\. Did you mean --tool\?/],
    [["--qqqqqqqqqq"], /^--qqqqqqqqqq is no option\.$/],
    [["--last"], /--last needs a value: --last DURATION\./],
    [["--last", "--json"], /--last needs a value/],
    [["--strict=yes"], /--strict takes no value, got "yes"\./],
    [["stray"], /sample takes options only, got "stray"\./],
  ])("%j is refused with what to write instead", (args, message) => {
    expect(() => parseArguments(sample, args)).toThrow(UsageError);
    expect(() => parseArguments(sample, args)).toThrow(message);
  });
});

describe("help", () => {
  test("lists every command once, with its summary", () => {
    const help = generalHelp(COMMANDS).replaceAll(/\s+/g, " ");
    for (const { name, summary } of COMMANDS) expect(help).toContain(`${name} ${summary}`);
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    "of %s has examples, and each of them is a command line that it takes",
    (name, command) => {
      expect(command.examples.length).toBeGreaterThan(0);
      for (const { command: line } of command.examples) {
        const words = line
          .replace(/ > \S+$/, "")
          .split(" ")
          .filter((word) => !/^[A-Z_]+=/.test(word));
        expect(words.slice(0, 2)).toEqual(["mulligan", name]);
        expect(() => parseArguments(command, words.slice(2)), line).not.toThrow();
        expect(commandHelp(command)).toContain(line);
      }
    },
  );

  test("goes to standard output with exit code 0, however it is asked for", async () => {
    for (const args of [[], ["--help"], ["help"]]) {
      expect(await mulligan(args)).toEqual({ code: 0, stdout: generalHelp(COMMANDS), stderr: "" });
    }
    const [asked, flagged] = [await mulligan(["help", "funnel"]), await mulligan(["funnel", "--help"])];
    expect(asked).toEqual(flagged);
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage: mulligan funnel") });
  });

  test("no line of it is longer than 100 characters", () => {
    for (const text of [generalHelp(COMMANDS), ...COMMANDS.map(commandHelp)]) {
      for (const line of text.split("\n").filter((line) => !line.startsWith("  mulligan")))
        expect(line.length).toBeLessThanOrEqual(100);
    }
  });
});

describe("a command line that is wrong", () => {
  test("ends with 2, says what was meant on standard error, and prints nothing else", async () => {
    expect(await mulligan(["funel"])).toEqual({
      code: 2,
      stdout: "",
      stderr: 'mulligan: "funel" is no command. Did you mean funnel?\nTry: mulligan --help\n',
    });
    expect(await mulligan(["funnel", "--grup-by", "tool"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "mulligan funnel: --grup-by is no option. Did you mean --group-by?\nTry: mulligan funnel --help\n",
    });
    expect(await mulligan(["run"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("one run id is needed, got 0"),
    });
  });
});
