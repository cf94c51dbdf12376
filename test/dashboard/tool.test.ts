/**
 * The tool page in a real browser, of runs that the real instrumentation told: the worked example of METRICS.md section 6
 * (at small scale on the embedded database, whole on a server Postgres), one run that is still open, and runs with
 * failures that are not the arguments' fault.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FingerprintsAnswer, FunnelAnswer, Rate, TimelineAnswer } from "../../analytics/client/client.ts";
import {
  formatCount,
  formatDuration,
  formatInterval,
  formatOf,
  formatPercent,
  formatRate,
  formatShare,
  formatTime,
  formatTokens,
  NO_EVIDENCE,
} from "../../analytics/client/format.ts";
import { share } from "../../analytics/statistics/rate.ts";
import { launchBrowser, overflow, seriousFindings, type TestBrowser } from "../support/browser.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTelemetry, type Telemetry } from "../support/telemetry.ts";
import { AFTER, BEFORE, RUNS, runWeek, USAGE, type Week } from "../support/worked-example.ts";
import { script } from "./told-runs.ts";

const WHOLE = process.env.MULLIGAN_TEST_DATABASE_URL !== undefined;
const SCALE = WHOLE ? 1 : 1 / 57;
/** The small version only needs runs enough for the rows. */
const WEEK_RUNS = WHOLE ? RUNS : 120;
const FROM = "2026-11-02T00:00Z";
const BETWEEN = "2026-11-09T00:00Z";
const TO = "2026-11-16T00:00Z";
const TIMES = `from=${FROM}&to=${TO}`;

let service: TestService;
let telemetry: Telemetry;
let browser: TestBrowser;
const complaints: (readonly string[])[] = [];

beforeAll(async () => {
  service = await startTestService();
  telemetry = startTelemetry(service.url);
  for (const [templateVersion, week, from] of [
    ["before", BEFORE, FROM],
    ["after", AFTER, BETWEEN],
  ] as const) {
    await runWeek({
      ...{ week, scale: SCALE, runs: WEEK_RUNS, templateVersion, from: new Date(from) },
      afterRun: (done) => (done % 200 === 0 ? telemetry.flush() : undefined),
    });
    await telemetry.flush();
  }
  const open = script(Date.parse("2026-11-15T20:00Z"), { runId: "open" });
  open.turn(["book_room", { start: "soon" }]);
  const weather = script(Date.parse("2026-11-15T10:00Z"), { runId: "weather" });
  weather.turn(["get_weather", { city: "Atlantis" }]);
  weather.turn(["get_weather", { city: "Atlantis" }]);
  weather.run.end("completed");
  const mail = script(Date.parse("2026-11-15T11:00Z"), { runId: "mail" });
  mail.turn(["send_mail", { to: "a@elsewhere.example" }]);
  mail.turn(["send_mail", { to: "a@elsewhere.example" }]);
  mail.run.end("blocked");
  await telemetry.flush();
  await service.settled();
  browser = await launchBrowser();
}, 1_200_000);

afterAll(async () => {
  await browser?.close();
  await telemetry?.shutdown();
  await service?.close();
});

type Options = Parameters<TestBrowser["open"]>[1];

async function openTool(tool: string, query = TIMES, options?: Options): Promise<Page> {
  const opened = await browser.open(`${service.url}/tools/${tool}?refresh=off&${query}`, options);
  complaints.push(opened.complaints);
  await opened.page.locator("[data-panel=health]").waitFor();
  return opened.page;
}

const funnelOf = (tool: string, query = "") =>
  service.ask<FunnelAnswer>(`/api/v1/funnel?tool=${tool}&${TIMES}${query}`);

// What is rendered, for what is hidden at this width is not said.
const text = async (place: Locator): Promise<string> => (await place.innerText()).replace(/\s+/g, " ").trim();

/** The address of a link: its path and its parameters. */
async function address(place: Locator): Promise<{ path: string; params: Record<string, string> }> {
  const url = new URL((await place.getAttribute("href"))!, service.url);
  return { path: url.pathname, params: Object.fromEntries(url.searchParams) };
}

async function expectRate(place: Locator, rate: Rate): Promise<void> {
  const said = await text(place);
  if (rate.value === null) return expect(said).toContain(NO_EVIDENCE);
  expect(said).toContain(formatPercent(rate.value));
  expect(said).toContain(formatOf(rate));
  expect(said).toContain(formatInterval(rate.interval));
  if (rate.pending > 0) expect(said).toContain(`${formatCount(rate.pending)} pending`);
}

describe("the worked example", () => {
  let page: Page;
  let answer: FunnelAnswer;
  const row = (name: string) => page.locator(`[data-figure=funnel] [data-stage=${name}]`);

  beforeAll(async () => {
    answer = await funnelOf("book_room");
    page = await openTool("book_room");
  });

  test("the counts of the head are the API's", async () => {
    const { calls, runs, first_attempts, repair_attempts } = answer.overall;
    for (const [name, count] of [
      ["calls", calls.total],
      ["runs", runs],
      ["first_attempts", first_attempts.total],
      ["repair_attempts", repair_attempts.total],
    ] as const) {
      expect(await text(page.locator(`[data-count-of=${name}] dd`))).toBe(formatCount(count));
    }
  });

  test("six rates stand as value, n of N, interval and pending, with the terminal outcomes beside them", async () => {
    const { rates, terminal_outcomes } = answer.overall;
    for (const name of [
      ...(["first_attempt_validity", "first_repair_rate", "eventual_repair_rate"] as const),
      ...(["unchanged_repeat_rate", "retry_failure_rate", "completion_rate"] as const),
    ]) {
      await expectRate(page.locator(`.tool-rates [data-rate=${name}]`), rates[name]);
    }
    expect(rates.first_repair_rate.pending).toBe(1);
    const bar = page.locator("[data-figure=tool-outcomes]");
    for (const name of ["completed", "escalated", "exhausted"] as const) {
      expect(await bar.locator(`rect[data-outcome=${name}]`).getAttribute("data-count")).toBe(
        String(terminal_outcomes[name].numerator),
      );
    }
  });

  test("the funnel's rows are the example's: episodes, extra turns, tokens, and both shares with their wholes", async () => {
    const of = (before: number, after: number) => Math.round((before + after) * SCALE);
    const [first, second] = [of(BEFORE.nextTurn, AFTER.nextTurn), of(BEFORE.secondTurn, AFTER.secondTurn)];
    const [escalated, exhausted] = [of(BEFORE.escalated, AFTER.escalated), of(BEFORE.exhausted, AFTER.exhausted)];
    const settled = first + second + escalated + exhausted;
    const { funnel, first_attempts } = answer.overall;
    const rows: readonly (readonly [string, number, number, string, number | null])[] = [
      ["opened", settled + 1, first_attempts.total, "first attempts", null],
      ["settled", settled, settled + 1, "rejected", null],
      ["repaired_turn_1", first, settled, "settled", first],
      ["repaired_turn_2", second, settled - first, "not repaired before", 2 * second],
      ["unresolved", escalated + exhausted, settled - first - second, "not repaired before", null],
      ["unresolved_escalated", escalated, escalated + exhausted, "not repaired", escalated],
      ["unresolved_exhausted", exhausted, escalated + exhausted, "not repaired", 3 * exhausted],
    ];
    for (const [name, count, whole, label, turns] of rows) {
      expect(await text(row(name).locator(".funnel-count"))).toBe(formatCount(count));
      expect(await text(row(name).locator(".funnel-previous"))).toBe(
        `${formatPercent(share(count, whole).value)} of ${formatCount(whole)} ${label}`,
      );
      if (turns === null) continue;
      const usage = funnel.rows.find((found) => found.row === name)!.usage;
      expect(await text(row(name).locator(".funnel-settled"))).toBe(formatPercent(share(count, settled).value));
      expect(await text(row(name).locator(".funnel-turns"))).toBe(formatCount(turns));
      expect(await text(row(name).locator(".funnel-tokens"))).toBe(
        `${formatCount(usage.input_tokens!)} / ${formatCount(usage.output_tokens!)}`,
      );
      expect(usage.input_tokens).toBe(turns * USAGE.inputTokens);
    }
  });

  test("what the model did next and how the runs ended are the API's, of the settled episodes", async () => {
    const { next_actions, outcomes } = answer.overall.funnel;
    const names = ["repeated_unchanged", "changed_still_invalid", "changed_direction", "gave_up", "not_known"] as const;
    for (const action of names) {
      expect(await row(action).getAttribute("data-count")).toBe(String(next_actions[action].numerator));
    }
    for (const [outcome, { numerator, denominator }] of Object.entries(outcomes)) {
      expect(await text(row(`outcome_${outcome}`).locator(".funnel-count"))).toBe(formatCount(numerator));
      expect(await text(row(`outcome_${outcome}`).locator(".funnel-previous"))).toContain(
        `of ${formatCount(denominator)} settled`,
      );
    }
  });

  test("bars are as wide as their counts: first of all first attempts, then, as it says, of the rejected", async () => {
    const { first_attempts, funnel } = answer.overall;
    const bars = await page.locator("[data-figure=funnel] [data-bar]").all();
    expect(bars.length).toBeGreaterThan(8);
    for (const bar of bars) {
      const stage = bar.locator("xpath=ancestor::li");
      const [name, count] = [await stage.getAttribute("data-stage"), Number(await stage.getAttribute("data-count"))];
      const whole = name === "first_attempts" || name === "opened" ? first_attempts.total : funnel.opened;
      expect(Number.parseFloat((await bar.getAttribute("width"))!)).toBeCloseTo((count * 100) / whole, 6);
    }
    const scales = await page.locator("[data-figure=funnel] .funnel-scale").allInnerTexts();
    expect(scales[0]).toContain(`full width = ${formatCount(first_attempts.total)} first attempts`);
    expect(scales[1]).toContain(`new scale: full width = ${formatCount(funnel.opened)} rejected`);
  });

  test("the table twin says the same, and the address remembers that it is shown", async () => {
    const figure = page.locator("[data-figure=funnel]");
    await figure.getByRole("button", { name: "as table" }).click();
    expect(page.url()).toContain("table=funnel");
    const { funnel } = answer.overall;
    const cells = await figure
      .getByRole("row", { name: /Repaired on the next turn/ })
      .getByRole("cell")
      .allInnerTexts();
    const first = funnel.rows.find(({ row: name }) => name === "repaired_turn_1")!;
    expect(cells).toContain(formatCount(first.episodes));
    expect(cells).toContain(`${formatShare(first.share)} settled`);
    expect(cells).toContain(formatCount(first.usage.input_tokens!));
    await page.goBack();
    await row("settled").waitFor();
  });

  test("what is pending stands beside the settled funnel and in none of its rows", async () => {
    const { funnel } = answer.overall;
    expect(funnel.pending).toBe(1);
    const figure = page.locator("[data-figure=open-funnel]");
    expect(await text(figure)).toContain("1 pending episode, in no rate");
    expect(await figure.locator("[data-open=undecided]").getAttribute("data-count")).toBe("1");
    expect((await address(figure.locator("[data-open=undecided] a"))).params).toMatchObject({
      ...{ tool: "book_room", state: "pending", row: "undecided", from: FROM, to: TO },
    });
  });

  test("a row leads to its episodes, with tool, times and its own filter", async () => {
    const kept = { tool: "book_room", from: FROM, to: TO, refresh: "off" };
    for (const [name, params] of [
      ["opened", {}],
      ["settled", { state: "settled" }],
      ["repaired_turn_1", { state: "settled", row: "repaired_turn_1" }],
      ["unresolved_exhausted", { state: "settled", row: "unresolved_exhausted" }],
      ["repeated_unchanged", { state: "settled", next_action: "repeated_unchanged" }],
      ["outcome_escalated", { state: "settled", outcome: "escalated" }],
    ] as const) {
      expect(await address(row(name).locator("a")), name).toEqual({
        path: "/episodes",
        params: { ...kept, ...params },
      });
    }
    expect((await address(row("first_attempts").locator("a"))).path).toBe("/runs");
    const { total } = await service.ask<{ total: number }>(
      `/api/v1/episodes?${new URLSearchParams({ tool: "book_room", from: FROM, to: TO, state: "settled", row: "repaired_turn_1" })}`,
    );
    expect(String(total)).toBe(await row("repaired_turn_1").getAttribute("data-count"));
  });

  test("cost and data health are the API's", async () => {
    const { funnel, health } = answer.overall;
    const fact = (name: string) => text(page.locator(`[data-fact=${name}] dd`).last());
    const cost = page.locator("[data-panel=cost]");
    const costOf = (name: string) => text(cost.locator(`[data-fact=${name}] dd`));
    expect(await costOf("extra_turns")).toContain(formatCount(funnel.extra_turns.total));
    expect(await costOf("model_turns")).toBe(formatCount(funnel.usage.model_turns!));
    expect(await costOf("input_tokens")).toContain(formatTokens(funnel.usage.input_tokens, "input"));
    expect(await costOf("output_tokens")).toBe(formatTokens(funnel.usage.output_tokens, "output"));
    expect(await costOf("duration")).toBe(formatDuration(funnel.usage.duration_ms));
    expect(await costOf("usage_known")).toContain(formatShare(funnel.usage_known.input_tokens));
    expect(await costOf("handovers")).toContain(formatOf({ numerator: funnel.handovers, denominator: funnel.settled }));
    expect(funnel.handovers).toBeGreaterThan(0);
    for (const name of ["not_checked", "corrected", "ran_against_schema", "unknown_verdict"] as const) {
      expect(await fact(name)).toContain(formatShare(health[name]));
    }
    expect(await fact("inferred_turns")).toContain(formatShare(answer.overall.inferred_turns));
  });

  test("the fingerprint's row and the heat table's cell count the same rejected calls, and lead to them", async () => {
    const { fingerprints } = await service.ask<FingerprintsAnswer>(`/api/v1/fingerprints?tool=book_room&${TIMES}`);
    const [only] = fingerprints;
    expect(fingerprints.length).toBe(1);
    const line = page.locator("[data-fingerprint='invalid:start:date_format']");
    await expectRate(line.locator("[data-rate=first_repair_rate]"), only!.rates.first_repair_rate);
    await expectRate(line.locator("[data-rate=unchanged_repeat_rate]"), only!.rates.unchanged_repeat_rate);
    const cells = await line.getByRole("cell").allInnerTexts();
    expect(cells[0]).toBe(formatCount(only!.failed_calls));
    expect(cells[1]).toContain(formatCount(only!.funnel.opened));
    expect(cells).toContain(formatCount(only!.hurts.attributed_tokens));
    expect((await address(line.getByRole("link").first())).params).toMatchObject({
      ...{ tool: "book_room", fingerprint: "invalid:start:date_format", from: FROM },
    });
    const heat = page.locator("[data-heat='start date_format']");
    expect(await text(heat)).toBe(formatCount(only!.first_attempts.rejected + only!.repair_attempts.rejected));
    expect((await address(heat.getByRole("link"))).params.fingerprint).toBe("invalid:start:date_format");
  });

  test("templates stand side by side with rates and outcomes, and a warning that this is no comparison", async () => {
    const grouped = await funnelOf("book_room", "&group_by=template_version");
    await page.getByRole("navigation", { name: "Rows of the table" }).getByText("Template version").click();
    expect(page.url()).toContain("by=template_version");
    for (const name of ["before", "after"]) {
      const line = page.locator(`[data-group=${name}]`);
      const group = grouped.groups.find(({ key }) => key.template_version === name)!;
      await expectRate(line.locator("[data-rate=first_repair_rate]"), group.rates.first_repair_rate);
      expect(await text(line)).toContain(
        formatOf({ numerator: group.funnel.handovers, denominator: group.funnel.settled }),
      );
    }
    expect(await text(page.locator("article"))).toContain("Descriptive, not a comparison");
    await page.goBack();
  });
});

describe.each([
  { name: "before", week: BEFORE, from: FROM, to: BETWEEN, first: 0.4, eventual: 0.7, pending: 0 },
  { name: "after", week: AFTER, from: BETWEEN, to: TO, first: 0.85, eventual: 0.9, pending: 1 },
])("the week $name", ({ week, from, to, first, eventual, pending }) => {
  test("every figure of the example's table stands on the page of its week", async () => {
    const page = await openTool("book_room", `from=${from}&to=${to}`);
    const row = (name: string) => text(page.locator(`[data-figure=funnel] [data-stage=${name}] .funnel-count`));
    const scaled = (episodes: number) => Math.round(episodes * SCALE);
    const settled = scaled(week.nextTurn + week.secondTurn + week.escalated + week.exhausted);
    expect(await row("opened")).toBe(formatCount(settled + pending));
    expect(await row("settled")).toBe(formatCount(settled));
    expect(await row("repaired_turn_1")).toBe(formatCount(scaled(week.nextTurn)));
    expect(await row("repaired_turn_2")).toBe(formatCount(scaled(week.secondTurn)));
    expect(await row("unresolved_escalated")).toBe(formatCount(scaled(week.escalated)));
    expect(await row("unresolved_exhausted")).toBe(formatCount(scaled(week.exhausted)));
    const rate = (name: string) => text(page.locator(`.tool-rates [data-rate=${name}]`));
    expect(await rate("first_repair_rate")).toContain(formatPercent(first));
    expect(await rate("eventual_repair_rate")).toContain(formatPercent(eventual));
    if (WHOLE) expect(await row("first_attempts")).toBe(formatCount(60_000 + pending));
    const cost = (name: string) => text(page.locator(`[data-panel=cost] [data-fact=${name}] dd`));
    const turns = scaled(extraTurns(week));
    expect(await cost("extra_turns")).toContain(formatCount(turns));
    expect(await cost("input_tokens")).toContain(formatTokens(turns * USAGE.inputTokens, "input"));
    expect(await cost("output_tokens")).toBe(formatTokens(turns * USAGE.outputTokens, "output"));
    expect(await cost("duration")).toBe(formatDuration(turns * 1_140));
    expect(await cost("handovers")).toContain(
      formatOf({ numerator: scaled(week.escalated + week.exhausted), denominator: settled }),
    );
    await page.context().close();
  });
});

function extraTurns({ nextTurn, secondTurn, escalated, exhausted }: Week): number {
  return nextTurn + 2 * secondTurn + escalated + 3 * exhausted;
}

describe("over time", () => {
  let page: Page;
  let answer: TimelineAnswer;

  beforeAll(async () => {
    answer = await service.ask<TimelineAnswer>(`/api/v1/timeline?tool=book_room&${TIMES}`);
    page = await openTool("book_room");
    await page.locator("[data-readout]").waitFor();
  });

  const figure = () => page.locator("[data-figure=timeline]");

  test("a point stands for every bucket with evidence, hollow below 30, and bars stack its outcomes", async () => {
    const evident = answer.points.filter(({ rates }) => rates.first_repair_rate.value !== null);
    expect(evident.length).toBeGreaterThan(5);
    for (const { start, rates, terminal_outcomes } of evident) {
      const little = rates.first_repair_rate.denominator < 30;
      const drawn = figure().locator(`circle[data-start='${start}']`);
      expect((await drawn.getAttribute("class"))!.includes("is-little")).toBe(little);
      for (const [outcome, { numerator }] of Object.entries(terminal_outcomes)) {
        const bar = figure().locator(`rect[data-bucket='${start}'][data-outcome=${outcome}]`);
        expect(await bar.count()).toBe(numerator === 0 ? 0 : 1);
        if (numerator > 0) expect(await bar.getAttribute("data-count")).toBe(String(numerator));
      }
    }
    expect(await figure().locator("circle[data-start]").count()).toBe(evident.length);
  });

  test("buckets with pending episodes are striped in both charts", async () => {
    const pending = answer.points.filter(({ rates }) => rates.first_repair_rate.pending > 0);
    expect(pending.map(({ start }) => start)).toEqual(["2026-11-15T00:00:00.000Z"]);
    expect(await figure().locator("[data-pending]").count()).toBe(1);
    expect(await figure().locator("[data-outcome=pending]").getAttribute("data-count")).toBe("1");
  });

  test("the new template is a flag with its name, where the answer says that it was first called", async () => {
    const change = answer.changes.find(({ value }) => value === "after")!;
    expect(change.dimension).toBe("template_version");
    const entry = figure().locator("[data-change=after]");
    expect(await text(entry)).toContain(`first called ${formatTime(change.at)}`);
    expect((await address(entry.getByRole("link"))).params).toMatchObject({ template_version: "after", from: FROM });
    const letter = await text(entry.locator("b"));
    expect(await figure().locator(`[data-flag='${letter}'][data-at='${change.at}']`).count()).toBe(2);
  });

  test("arrow keys move along the buckets, and each is said in words", async () => {
    const slider = page.getByRole("slider", { name: "Bucket of the charts" });
    await slider.focus();
    const shown = () => page.locator("[data-readout]").getAttribute("data-readout");
    expect(await shown()).toBe(answer.points.at(-1)!.start);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    const second = answer.points[1]!;
    expect(await shown()).toBe(second.start);
    expect(await slider.getAttribute("aria-valuetext")).toContain(formatRate(second.rates.first_repair_rate));
    expect(await text(page.locator("[data-readout]"))).toContain(formatRate(second.rates.first_repair_rate));
  });

  test("the rate is chosen in the address; back takes the choice back, and the twin has every bucket", async () => {
    await page.locator("select[name=rate]").selectOption("first_attempt_failure_rate");
    expect(page.url()).toContain("rate=first_attempt_failure_rate");
    await figure().getByRole("button", { name: "as table" }).click();
    for (const { start, rates } of answer.points) {
      const line = figure().locator(`tr[data-bucket='${start}']`);
      await expectRate(line.locator("[data-rate]"), rates.first_attempt_failure_rate);
    }
    await page.goBack();
    await page.goBack();
    expect(page.url()).not.toContain("rate=");
    expect(await text(figure().locator("h3"))).toContain("First repair");
  });
});

describe("failures that are not the arguments' fault", () => {
  test("execution failures have a panel of their own, and a page of their own kind", async () => {
    const { overall } = await funnelOf("get_weather", "&kind=recovery");
    expect(overall.funnel).toMatchObject({ opened: 1, settled: 1 });
    const page = await openTool("get_weather");
    const panel = page.locator("[data-panel=recovery]");
    expect(await text(panel.locator("[data-fact=opened] dd"))).toBe(formatShare(share(1, overall.calls.total)));
    expect((await address(panel.locator("[data-fact=opened] a"))).params).toMatchObject({
      ...{ kind: "recovery", tool: "get_weather" },
    });
    await expectRate(panel.locator("[data-rate=transient_repeat_rate]"), overall.rates.transient_repeat_rate);
    expect(await text(page.locator("[data-panel=denial]"))).toContain("No call was denied.");
    await page.getByRole("navigation", { name: "Kind of episode" }).getByText("Recovery").click();
    await page.getByRole("heading", { name: "Recovery funnel" }).waitFor();
    expect(await text(page.locator("[data-stage=repaired_turn_1]"))).toContain("Recovered on the next turn");
    await page.context().close();
  });

  test("denials too: asking again is a rate of its own, with its interval", async () => {
    const { overall } = await funnelOf("send_mail", "&kind=denial");
    const page = await openTool("send_mail");
    await expectRate(
      page.locator("[data-panel=denial] [data-rate=repeat_after_denial_rate]"),
      overall.rates.repeat_after_denial_rate,
    );
    expect(overall.rates.repeat_after_denial_rate.numerator).toBe(1);
    await page.context().close();
  });
});

describe("for everyone", () => {
  test("a tool without calls in the interval says what would fill the page", async () => {
    const { page } = await browser.open(`${service.url}/tools/book_room?last=15m&refresh=off`);
    await page.getByText("No call to book_room in this interval").waitFor();
    await page.getByRole("link", { name: "at everything" }).click();
    await page.locator("[data-panel=health]").waitFor();
    expect(page.url()).toContain("last=all");
    await page.context().close();
  });

  test("the keyboard alone reaches a row of the funnel and opens its episodes", async () => {
    const page = await openTool("book_room");
    const link = page.locator("[data-stage=repaired_turn_1] a");
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press("Tab");
      if (await link.evaluate((node) => node === node.ownerDocument.activeElement)) break;
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/episodes\?.*row=repaired_turn_1/);
    await page.context().close();
  });

  test.each(["light", "dark"] as const)("axe finds nothing serious, %s, charts and twins", async (colorScheme) => {
    const page = await openTool("book_room", TIMES, { colorScheme });
    await page.locator("[data-readout]").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const twins = await openTool("book_room", `${TIMES}&table=funnel,open-funnel,timeline,heat,tool-outcomes`, {
      ...{ colorScheme },
    });
    expect(await seriousFindings(twins)).toEqual([]);
    await page.context().close();
    await twins.context().close();
  });

  test("375 pixels are enough: nothing makes the page scroll sideways", async () => {
    const page = await openTool("book_room", TIMES, { viewport: { width: 375, height: 800 } });
    await page.locator("[data-readout]").waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await text(page.locator("[data-stage=repaired_turn_1] .funnel-settled"))).toContain("of settled");
    await page.context().close();
  });

  test("no page broke its content security policy, asked another host or threw", () => {
    expect(complaints.length).toBeGreaterThan(5);
    expect(complaints.flat()).toEqual([]);
  });
});
