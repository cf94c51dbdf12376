import { describe, expect, test } from "vitest";
import { matchRules, RulesError, readRules } from "../../collector/rules.ts";

const read = (text: string, name = "rules.yaml") => readRules(name, Buffer.from(text));

function refusal(text: string | Uint8Array, name = "rules.yaml"): string {
  try {
    readRules(name, Buffer.from(text));
  } catch (error) {
    expect(error).toBeInstanceOf(RulesError);
    return (error as Error).message;
  }
  throw new Error("the rules were taken");
}

describe("matching", () => {
  test("the first rule that matches decides, for its tool only where it names one", () => {
    const { rules } = read(`
- { tool: pay, text: 'declined', class: execution, retryability: never }
- { text: '^Error', class: tool_input }
- { text: 'declined', class: denied }
`);
    expect(matchRules(rules, "pay", "Error: declined")).toEqual({ failureClass: "execution", retryability: "never" });
    expect(matchRules(rules, "book", "Error: declined")).toEqual({ failureClass: "tool_input" });
    expect(matchRules(rules, "book", "declined")).toEqual({ failureClass: "denied" });
    expect(matchRules(rules, "book", "fine")).toBe(null);
  });

  test("JSON is read too, and a rule gives parameter and category", () => {
    const rule = { text: "date (?<parameter>\\S+)", class: "schema", category: "date_format" };
    const { rules, name, sha256 } = read(JSON.stringify([rule]), "rules.json");
    expect(matchRules(rules, "book", "bad date start.day")).toEqual({
      failureClass: "schema",
      parameter: "start.day",
      captured: true,
      category: "date_format",
    });
    expect([name, sha256.length]).toEqual(["rules.json", 64]);
  });

  test("a captured parameter that is no name is left out", () => {
    const { rules } = read("- { text: 'for (?<parameter>.+)$', class: schema }");
    for (const text of ["for ada lovelace", "for 12", `for ${"x".repeat(200)}`, "for a..b"]) {
      expect(matchRules(rules, "book", text)).toEqual({ failureClass: "schema" });
    }
  });
});

describe("refusals say where, what came and what to write", () => {
  test.each([
    [
      "- { text: x, class: schema }\n- text: x\n  class: bad_input",
      ["rules.yaml, rule 2", "`class`", '"bad_input"', "tool_input"],
    ],
    ["- class: schema", ["rule 1", "`text`", "missing", "'^Error"]],
    ["- text: [a]\n  class: schema", ["rule 1", "`text`", "a list"]],
    ["- text: x\n  klass: schema\n  class: schema", ["rule 1", '"klass"', "text, class"]],
    ["- text: x\n  class: schema\n  parameter: two words", ["`parameter`", '"two words"', "start_date"]],
    ["- text: x\n  class: schema\n  category: Date!", ["`category`", '"Date!"', "date_format"]],
    ["- text: x\n  class: schema\n  retryability: maybe", ["`retryability`", '"maybe"', "as_is"]],
    ["- text: '(a'\n  class: schema", ["rule 1", "`text`", "Escape"]],
    ["- text: '(?P<parameter>a)'\n  class: schema", ["rule 1", "without the P"]],
    ["- text: '(?i)a'\n  class: schema", ["rule 1", "[Ee]rror"]],
    ["- just text", ["rule 1", "expected fields"]],
    ["text: x\nclass: schema", ["rules.yaml", "expected a list"]],
    ["", ["rules.yaml", "expected a list", "nothing"]],
    ["- text: '^a\n  class: [", ["rules.yaml", "single quotes"]],
  ])("%j", (text, parts) => {
    const message = refusal(text);
    for (const part of parts) expect(message).toContain(part);
  });

  test("a billion laughs, a huge file, bad bytes and bottomless nesting are refused at once", () => {
    const laughs = [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      ...[..."bcdefghi"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[at]}`).join(",")}]`),
    ];
    expect(refusal(laughs.join("\n"))).toContain("alias");
    expect(refusal("#".repeat(70_000))).toContain("at most");
    expect(refusal(Buffer.from([0x2d, 0x20, 0xff]))).toContain("UTF-8");
    expect(refusal("[".repeat(10_000))).toContain("rules.yaml");
    expect(refusal("[".repeat(10_000), "rules.json")).toContain("rules.json");
    expect(refusal(JSON.stringify(Array(1001).fill({ text: "x", class: "schema" })))).toContain("at most 1000");
  });
});
