import { describe, expect, test } from "vitest";
import { QuestionError } from "../../../analytics/questions/question-error.ts";
import { type ScopeQuery, scopeOf } from "../../../analytics/questions/scope-query.ts";
import { NOW } from "../../support/rows.ts";

const asked = { projectId: 1, asOf: new Date(NOW.getTime() + 30_000) };
const scope = (query: ScopeQuery) => scopeOf(query, asked);

describe("a scope", () => {
  test("is the last seven days without a time, up to the running minute", () => {
    expect(scope({})).toMatchObject({ from: new Date("2026-03-03T12:01:00Z"), to: new Date("2026-03-10T12:01:00Z") });
  });

  test("takes lists by comma and by repetition, with a comma of a value written \\,", () => {
    expect(scope({ tool: ["a,b", "c\\,d"], group_by: "tool, day,tool" })).toMatchObject({
      filters: { tool: ["a", "b", "c,d"] },
      groupBy: ["tool", "day"],
    });
  });

  test("reads a time without a zone as UTC, and one with a zone as it stands", () => {
    expect(scope({ from: "2026-01-15T09:00" }).from).toEqual(new Date("2026-01-15T09:00:00Z"));
    expect(scope({ from: "2026-01-15T09:00+02:00" }).from).toEqual(new Date("2026-01-15T07:00:00Z"));
    expect(scope({ from: "2026-01-15" })).toMatchObject({ from: new Date("2026-01-15T00:00:00Z"), to: null });
  });

  test.each<[string, ScopeQuery, RegExp]>([
    ["last", { last: "yesterday" }, /last is "yesterday", expected a number followed by m, h or d.*Example: last=24h/],
    ["last", { last: "1d", from: "2026-01-15" }, /cannot be joined.*send last=24h, or from and to/],
    [
      "from",
      { from: "15.01.2026" },
      /from is "15\.01\.2026", expected an ISO 8601.*Example: from=2026-01-15T09:00:00Z/,
    ],
    ["from", { from: "2026-02-30T25:00:00Z" }, /expected an ISO 8601/],
    ["from", { from: "2026-02-30" }, /from is "2026-02-30", expected an ISO 8601.*is no day of the calendar/],
    ["to", { to: "2026-04-31T12:00:00+02:00" }, /to is "2026-04-31T12:00:00\+02:00".*is no day of the calendar/],
    ["from", { from: "2025-02-29" }, /is no day of the calendar/],
    ["from", { from: "0000-01-01" }, /from is "0000-01-01".*years 0001 to 9999/],
    ["to", { to: "9999-12-31T23:59:30Z" }, /years 0001 to 9999/],
    ["tool", { tool: "" }, /tool is empty.*tool=null.*leave tool out/],
    ["model", { model: [" ,", ""] }, /model is empty/],
    ["group_by", { group_by: "" }, /group_by is empty.*leave group_by out/],
    ["tool", { tool: "a\u0000b" }, /tool is "a\?b".*NUL/],
    ["to", { from: "2026-01-16", to: "2026-01-15" }, /not after from/],
    ["group_by", { group_by: "tols" }, /group_by is "tols".*Did you mean group_by=tool\?/],
    ["kind", { kind: "repairs" }, /expected one of repair, recovery, denial\. Did you mean kind=repair\?/],
    ["rung", { rung: "5" }, /rung is "5", expected one of 0, 1, 2, 3, 4, null/],
    ["failure_class", { failure_class: "schemas" }, /Did you mean failure_class=schema\?/],
    ["limit", { limit: "0" }, /limit is "0", expected a whole number from 1 to 200\. Example: limit=50/],
    ["model", { model: "_other" }, /is no value: name the values themselves/],
  ])("refuses a wrong %s and says what came and what to send (%j)", (field, query, message) => {
    const error = refusal(query);
    expect(error.field).toBe(field);
    expect(error.message).toMatch(message);
  });

  test("takes the last day of February in a leap year, and a list without a value as absent", () => {
    expect(scope({ from: "2028-02-29" }).from).toEqual(new Date("2028-02-29T00:00:00Z"));
    expect(scope({ tool: [], group_by: [] })).toMatchObject({ filters: {}, groupBy: [] });
  });

  test("refuses more values and longer ones than are stored", () => {
    expect(refusal({ tool: "x".repeat(300) }).message).toMatch(/longer than the 256 characters/);
    expect(refusal({ tool: "a,".repeat(101) }).message).toMatch(/has 101 values, at most 100/);
  });

  test("a message shows at most a short, printable part of what came", () => {
    const { message } = refusal({ last: `\u001b[31m${"s3cret".repeat(50)}` });
    expect(message).not.toContain("\u001b");
    expect(message).not.toContain("s3cret".repeat(10));
  });
});

function refusal(query: ScopeQuery): QuestionError {
  try {
    scope(query);
  } catch (error) {
    if (error instanceof QuestionError) return error;
    throw error;
  }
  throw new Error(`not refused: ${JSON.stringify(query)}`);
}
