import { describe, expect, test } from "vitest";
import { parameterOf, valuesOf, valueWords } from "../../dashboard/src/state/dimensions.ts";
import { shifted, timesOf, writeTimes } from "../../dashboard/src/state/ranges.ts";
import { routeOf } from "../../dashboard/src/state/route.ts";
import { readScope } from "../../dashboard/src/state/scope.ts";

const NOW = Date.parse("2026-03-10T12:00:30Z");
const params = (text: string) => new URLSearchParams(text);

describe("times of an address", () => {
  test("are the API's own parameters; the last seven days where there are none, which the address then leaves out", () => {
    expect(timesOf(params(""))).toEqual({ last: "7d" });
    expect(timesOf(params("last=1h"))).toEqual({ last: "1h" });
    expect(timesOf(params("last=1h&from=2026-03-01"))).toEqual({ from: "2026-03-01" });
    const written = params("from=2026-03-01&model=m");
    writeTimes(written, { last: "7d" });
    expect(written.toString()).toBe("model=m");
  });

  test("shift by their own length, back in whole minutes and forward until they meet the present", () => {
    const day = shifted({ last: "24h" }, -1, NOW);
    expect(day).toEqual({ from: "2026-03-08T12:01Z", to: "2026-03-09T12:01Z" });
    expect(shifted(day!, 1, NOW)).toEqual({ last: "24h" });
    expect(shifted({ from: "2026-03-01T00:00Z", to: "2026-03-01T06:00Z" }, 1, NOW)).toEqual({
      from: "2026-03-01T06:00Z",
      to: "2026-03-01T12:00Z",
    });
  });

  test("without a length do not shift, and nothing shifts past the present", () => {
    expect(shifted({ last: "all" }, -1, NOW)).toBeNull();
    expect(shifted({ from: "2026-03-01T00:00Z" }, -1, NOW)).toBeNull();
    expect(shifted({ last: "1h" }, 1, NOW)).toBeNull();
  });
});

describe("filters of an address", () => {
  test("a value with a comma is one value, and a missing one is a value too", () => {
    const written = params("");
    for (const value of ["a,b", null, "c"]) written.append("model", parameterOf(value));
    const values = valuesOf(params(written.toString()), "model");
    expect(values.map(valueWords)).toEqual(["a,b", "not recorded", "c"]);
  });

  test("only what the API knows is asked; what belongs to a page is left out", () => {
    expect(readScope(params("last=1h&model=a,b&theme=dark&table=x&kind=denial&sort-tools=-calls")).query).toEqual({
      ...{ last: "1h", kind: "denial", model: ["a", "b"] },
    });
    expect(readScope(params("kind=nonsense")).query).toEqual({ last: "7d" });
  });
});

describe("the page of an address", () => {
  test("a name in it may hold anything, percent-encoded", () => {
    expect(routeOf("/tools/a%2Fb%20c@npm")).toEqual({ page: "tool", tool: "a/b c@npm" });
    expect(routeOf("/runs/tau%2F3%2F0")).toEqual({ page: "run", id: "tau/3/0" });
    expect(routeOf("/runs/")).toEqual({ page: "runs" });
  });

  test("an address that is no page is none, broken encoding too", () => {
    for (const path of ["/tools", "/tools/%zz", "/runs/a/b", "/elsewhere", "/episodes/x"]) {
      expect(routeOf(path)).toEqual({ page: "unknown" });
    }
  });
});
