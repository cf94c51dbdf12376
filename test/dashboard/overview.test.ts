/** The overview in a real browser, of four tools over two weeks: its figures are the API's, and all of its state is in the address. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  FingerprintsAnswer,
  FunnelAnswer,
  Group,
  Rate,
  RunsAnswer,
  ToolsAnswer,
} from "../../analytics/client/client.ts";
import {
  formatCompact,
  formatCount,
  formatDuration,
  formatInterval,
  formatOf,
  formatPercent,
  formatRate,
  formatShare,
} from "../../analytics/client/format.ts";
import { SIX_RATES } from "../../dashboard/src/overview/six-rates.ts";
import { launchBrowser, overflow, seriousFindings, type TestBrowser } from "../support/browser.ts";
import { clock } from "../support/rows.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { fillSample } from "./sample-rows.ts";

let service: TestService;
let browser: TestBrowser;
const complaints: (readonly string[])[] = [];

beforeAll(async () => {
  service = await startTestService({ clock });
  await fillSample(service.db);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** Opens the overview and waits until its last list is there. */
async function open(search = "?last=14d", options?: Parameters<TestBrowser["open"]>[1]): Promise<Page> {
  const opened = await browser.open(`${service.url}/${search}`, options);
  complaints.push(opened.complaints);
  await opened.page.locator("[data-run]").first().waitFor();
  return opened.page;
}

const ask = <Answer>(question: string, search = "last=14d") => service.ask<Answer>(`/api/v1/${question}?${search}`);

/** Text of an element, its spaces as a reader sees them. */
const textOf = async (place: Locator) => (await place.innerText()).replace(/\s+/g, " ");

async function expectRate(place: Locator, rate: Rate): Promise<void> {
  const text = await textOf(place);
  expect(text).toContain(formatPercent(rate.value));
  if (rate.value !== null) {
    expect(text).toContain(formatOf(rate));
    expect(text).toContain(formatInterval(rate.interval));
  }
  if (rate.pending > 0) expect(text).toContain(`${formatCount(rate.pending)} pending`);
  else expect(text).not.toContain("pending");
}

async function expectSixRates(page: Page, { overall }: FunnelAnswer): Promise<void> {
  for (const name of SIX_RATES) await expectRate(page.locator(`[data-tile=${name}] [data-rate]`), overall.rates[name]);
}

describe("the figures are the API's", () => {
  let page: Page;
  let overall: Group;
  let answer: FunnelAnswer;
  beforeAll(async () => {
    answer = await ask<FunnelAnswer>("funnel");
    overall = answer.overall;
    page = await open();
  });

  test("each of the six rates is n of N with its interval and what is pending, the worst tool beside it", async () => {
    await expectSixRates(page, answer);
    expect(overall.rates.first_repair_rate.pending).toBeGreaterThan(0);
    for (const name of SIX_RATES) {
      const worst = overall.worst_tool![name]!;
      const tile = await textOf(page.locator(`[data-tile=${name}]`));
      expect(tile).toContain(`worst ${worst.tool} ${formatShare(worst.rate)}`);
    }
  });

  test("the terminal outcomes stand beside the rates, each with its count", async () => {
    const parts = page.locator("[data-figure=outcomes] rect[data-outcome]");
    const drawn = await parts.evaluateAll((rects) =>
      rects.map((rect) => [rect.getAttribute("data-outcome"), Number(rect.getAttribute("data-count"))]),
    );
    const counted = Object.entries(overall.terminal_outcomes).filter(([, { numerator }]) => numerator > 0);
    expect(drawn.toSorted()).toEqual(counted.map(([name, { numerator }]) => [name, numerator]).toSorted());
    const legend = await textOf(page.locator("[data-figure=outcomes] .outcome-legend"));
    for (const [name, rate] of counted) {
      expect(legend).toContain(`${name} ${formatCount(rate.numerator)} ${formatPercent(rate.value)}`);
    }
  });

  test("a part of the outcome bar is as wide as its share", async () => {
    const widths = await page
      .locator("[data-figure=outcomes] rect[data-outcome]")
      .evaluateAll((rects) =>
        rects.map(
          (rect) => [rect.getAttribute("data-outcome"), Number.parseFloat(rect.getAttribute("width") ?? "")] as const,
        ),
      );
    for (const [name, width] of widths) {
      const { value } = overall.terminal_outcomes[name as keyof Group["terminal_outcomes"]];
      expect(width).toBeCloseTo(value! * 100, 6);
    }
  });

  test("every risk class has its own six rates and outcomes", async () => {
    expect(overall.by_risk).toHaveLength(4);
    const table = page.getByRole("region", { name: "The six rates by risk class" });
    for (const { risk, rates } of overall.by_risk) {
      for (const name of SIX_RATES)
        await expectRate(table.locator(`[data-risk=${risk}] [data-rate=${name}]`), rates[name]);
    }
    const ended = await table.locator(".outcome-bar").evaluateAll((bars) => bars.map((bar) => bar.textContent));
    expect(
      ended.filter((text) => text?.startsWith("How the runs of 49 settled repair episodes, irreversible write ended")),
    ).toHaveLength(1);
    expect(ended).toHaveLength(4);
  });

  test("little evidence looks like little evidence, and none is said in words", async () => {
    const unstated = page.locator("[data-risk=unstated] [data-rate=first_repair_rate]");
    expect(overall.by_risk.find(({ risk }) => risk === "unstated")!.rates.first_repair_rate.denominator).toBeLessThan(
      30,
    );
    expect(await unstated.getAttribute("class")).toContain("is-little");
    expect(await page.locator("[data-risk=read] [data-rate=first_repair_rate]").getAttribute("class")).not.toContain(
      "is-little",
    );
    expect(await textOf(page.locator("[data-risk=unstated] [data-rate=completion_rate]"))).toBe("no evidence");
  });

  test("the settled funnel and the open one so far show each row with its count, as wide as its share", async () => {
    const rows = await page
      .locator("[data-figure=funnel] [data-row]")
      .evaluateAll((items) =>
        items.map((item) => [
          item.getAttribute("data-row"),
          Number(item.getAttribute("data-count")),
          Number.parseFloat(item.querySelector("rect")?.getAttribute("width") ?? ""),
        ]),
      );
    const { rows: settled, open: pending } = overall.funnel;
    const some = [...settled, ...pending].filter(({ episodes }) => episodes > 0);
    expect(rows.map(([row, count]) => [row, count])).toEqual(some.map(({ row, episodes }) => [row, episodes]));
    for (const [index, { share }] of some.entries()) expect(rows[index]![2]).toBeCloseTo(share.value! * 100, 6);
    expect(await textOf(page.locator("[data-figure=funnel]"))).toContain(
      `${formatCount(overall.funnel.pending)} pending`,
    );
  });

  test("what the episodes cost is the funnel's", async () => {
    const { extra_turns, usage, handovers } = overall.funnel;
    const cost = (name: string) => textOf(page.locator(`[data-cost=${name}]`));
    expect(await cost("extra_model_turns")).toBe(formatCount(extra_turns.total));
    expect(await cost("tokens")).toBe(formatCompact(usage.input_tokens! + usage.output_tokens!));
    expect(await cost("duration")).toBe(formatDuration(usage.duration_ms));
    expect(await cost("handovers")).toBe(formatCount(handovers));
  });

  test("tools stand in the API's order of hurt, with what they are ordered by", async () => {
    const { tools } = await ask<ToolsAnswer>("tools");
    const rows = page.locator("[data-tool]");
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-tool")))).toEqual(
      tools.map(({ key }) => key.tool),
    );
    for (const [index, { hurts, rates }] of tools.entries()) {
      const row = rows.nth(index);
      const cells = await row.locator("td").allInnerTexts();
      expect(cells.slice(0, 3)).toEqual([
        formatCount(hurts.unrepaired_not_completed),
        formatCompact(hurts.attributed_tokens),
        formatCount(hurts.extra_model_turns),
      ]);
      await expectRate(row.locator("[data-rate=first_repair_rate]"), rates.first_repair_rate);
      await expectRate(row.locator("[data-rate=first_attempt_validity]"), rates.first_attempt_validity);
    }
  });

  test("fingerprints stand in the API's order of hurt, and lead to their episodes and tool in this scope", async () => {
    const { fingerprints } = await ask<FingerprintsAnswer>("fingerprints", "last=14d&limit=15");
    const rows = page.locator("[data-fingerprint]");
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-fingerprint")))).toEqual(
      fingerprints.map(({ key }) => key.fingerprint),
    );
    const [first] = fingerprints;
    const links = await rows
      .first()
      .locator("a")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(links).toEqual([
      `/episodes?last=14d&tool=${first!.key.tool}&fingerprint=${first!.key.fingerprint}`,
      `/tools/${first!.key.tool}?last=14d`,
    ]);
    expect(await textOf(rows.first())).toContain(formatCount(first!.failed_calls));
  });

  test("the latest runs are the API's, newest first", async () => {
    const { runs } = await ask<RunsAnswer>("runs", "last=14d&limit=8");
    const shown = await page
      .locator("[data-run]")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-run")));
    expect(shown).toEqual(runs.map(({ run_id }) => run_id));
    const cells = await page.locator("[data-run]").first().locator("td").allInnerTexts();
    expect(cells.slice(-4)).toEqual(
      [runs[0]!.model_turns, runs[0]!.calls, runs[0]!.rejected_calls, runs[0]!.pending_episodes].map(formatCount),
    );
  });

  test("data health says what no rate covers", async () => {
    const health = await textOf(page.locator("section", { has: page.getByRole("heading", { name: "Data health" }) }));
    expect(overall.health.not_checked.numerator).toBeGreaterThan(0);
    for (const share of [
      overall.health.not_checked,
      overall.health.corrected,
      overall.outcomes_known,
      overall.inferred_turns,
    ]) {
      expect(health).toContain(formatShare(share));
    }
  });

  test("every small chart says in words what it shows", async () => {
    const { points } = await ask<{ points: { start: string; rates: Record<string, Rate> }[] }>("timeline");
    const [first, last] = [points[0]!, points.at(-1)!];
    const label = await page.locator("[data-tile=first_attempt_validity] .sparkline").getAttribute("aria-label");
    expect(label).toContain(`${first.start.slice(0, 10)} ${formatRate(first.rates.first_attempt_validity!)}`);
    expect(label).toContain(`${last.start.slice(0, 10)} ${formatRate(last.rates.first_attempt_validity!)}`);
  });
});

describe("all state is in the address", () => {
  test("another range changes the address and the figures, and the back button takes it back", async () => {
    const page = await open();
    await page.getByRole("button", { name: "24h" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?last=24h");
    const day = await ask<FunnelAnswer>("funnel", "last=24h");
    const validity = page.locator("[data-tile=first_attempt_validity] [data-rate]");
    await expect.poll(() => textOf(validity)).toContain(formatOf(day.overall.rates.first_attempt_validity));
    expect(await page.getByRole("button", { name: "24h" }).getAttribute("aria-pressed")).toBe("true");
    await page.goBack();
    const before = await ask<FunnelAnswer>("funnel");
    await expect.poll(() => textOf(validity)).toContain(formatOf(before.overall.rates.first_attempt_validity));
    expect(new URL(page.url()).search).toBe("?last=14d");
  });

  test("two moments in UTC are a range too, and both of its neighbours are one step away", async () => {
    const page = await open("?from=2026-03-03T00:00Z&to=2026-03-05T00:00Z");
    await expectSixRates(page, await ask<FunnelAnswer>("funnel", "from=2026-03-03T00:00Z&to=2026-03-05T00:00Z"));
    await page.getByRole("button", { name: "The interval before" }).click();
    expect(new URL(page.url()).search).toBe("?from=2026-03-01T00:00Z&to=2026-03-03T00:00Z");
    await page.getByRole("button", { name: "The interval after" }).click();
    await page.getByText("2026-03-03T00:00Z – 2026-03-05T00:00Z").click();
    await page.getByLabel("From (UTC)").fill("2026-03-04T06:30");
    await page.getByRole("button", { name: "Show this interval" }).click();
    expect(new URL(page.url()).search).toBe("?from=2026-03-04T06:30Z&to=2026-03-05T00:00Z");
  });

  test("a filter offers each value with its calls, narrows every figure, and is taken out by its chip", async () => {
    const page = await open();
    const values = await ask<{ dimensions: { model: { value: string; calls: number }[] } }>("values");
    const menu = page.locator("[data-filter=model]");
    await menu.locator("summary").click();
    const offered = await menu.locator(".option").allInnerTexts();
    expect(offered.map((text) => text.split("\n"))).toEqual(
      values.dimensions.model.map(({ value, calls }) => [value, formatCompact(calls)]),
    );
    await menu.getByLabel("example-small").check();
    expect(new URL(page.url()).search).toBe("?last=14d&model=example-small");
    const narrowed = await ask<FunnelAnswer>("funnel", "last=14d&model=example-small");
    const validity = page.locator("[data-tile=first_attempt_validity] [data-rate]");
    await expect.poll(() => textOf(validity)).toContain(formatOf(narrowed.overall.rates.first_attempt_validity));
    await expectSixRates(page, narrowed);
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("open")).toBeNull();
    await page.getByRole("button", { name: "Take out Model: example-small" }).click();
    expect(new URL(page.url()).search).toBe("?last=14d");
  });

  test("links to other pages keep times, filters, refresh and theme", async () => {
    const page = await open("?last=14d&environment=production&refresh=30s&theme=dark&table=funnel&sort-tools=-turns");
    const kept = "last=14d&environment=production&refresh=30s&theme=dark";
    expect(await page.getByRole("link", { name: "Runs", exact: true }).getAttribute("href")).toBe(`/runs?${kept}`);
    expect(await page.locator("[data-tool=issue_credit] a").first().getAttribute("href")).toBe(
      `/tools/issue_credit?${kept}`,
    );
  });

  test("a figure as a table says the same, and its address opens the table", async () => {
    const page = await open();
    await page.getByRole("button", { name: "How their runs ended as table" }).click();
    await page.getByRole("button", { name: "The six rates as table" }).click();
    expect(new URL(page.url()).searchParams.get("table")).toBe("outcomes,rates");
    const again = await open(new URL(page.url()).search);
    const { overall } = await ask<FunnelAnswer>("funnel");
    const rates = await textOf(again.getByRole("region", { name: "The six rates", exact: true }));
    for (const name of SIX_RATES) expect(rates).toContain(formatRate(overall.rates[name]));
    const outcomes = await textOf(again.locator("[data-figure=outcomes] table"));
    for (const rate of Object.values(overall.terminal_outcomes)) expect(outcomes).toContain(formatShare(rate));
    expect(
      await again
        .getByRole("region", { name: /The six rates by day/ })
        .locator("tbody tr")
        .count(),
    ).toBe(15);
  });

  test("a table is ordered by a header: most first, least first, and back to the order of hurt", async () => {
    const page = await open();
    const order = () =>
      page.locator("[data-tool]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-tool")));
    const hurt = await order();
    const { tools } = await ask<ToolsAnswer>("tools");
    const byTokens = tools
      .toSorted((a, b) => b.hurts.attributed_tokens - a.hurts.attributed_tokens)
      .map(({ key }) => key.tool);
    const header = page
      .getByRole("region", { name: "Tools, what hurts most first" })
      .getByRole("columnheader", { name: /Tokens/ });
    await header.getByRole("link").click();
    expect(new URL(page.url()).searchParams.get("sort-tools")).toBe("-tokens");
    expect(await order()).toEqual(byTokens);
    expect(await header.getAttribute("aria-sort")).toBe("descending");
    await header.getByRole("link").click();
    expect(await order()).toEqual(byTokens.toReversed());
    await header.getByRole("link").click();
    expect(await order()).toEqual(hurt);
  });
});

describe("light and dark", () => {
  const ground = (page: Page) => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");

  test("the system's theme holds until one is chosen; the choice wins, is in the address, and is kept for the next visit", async () => {
    const light = await ground(await open("?last=14d", { colorScheme: "light" }));
    const page = await open("?last=14d", { colorScheme: "dark" });
    const dark = await ground(page);
    expect(dark).not.toBe(light);
    await page.getByLabel("Theme").selectOption("light");
    expect(await ground(page)).toBe(light);
    expect(new URL(page.url()).searchParams.get("theme")).toBe("light");
    await page.goto(`${service.url}/`);
    expect(await ground(page)).toBe(light);
    expect(await ground(await open("?last=14d&theme=dark", { colorScheme: "light" }))).toBe(dark);
  });

  for (const theme of ["light", "dark"]) {
    test(`axe finds nothing serious, ${theme}, in the charts and in their tables`, async () => {
      expect(await seriousFindings(await open(`?last=14d&theme=${theme}`))).toEqual([]);
      const tables = await open(`?last=14d&theme=${theme}&table=rates,outcomes,funnel&model=example-small`);
      await tables.locator("[data-filter=tool] summary").click();
      expect(await seriousFindings(tables)).toEqual([]);
    });
  }
});

describe("without a mouse, and on a phone", () => {
  test("the first stop skips to the figures; the next ones are the pages", async () => {
    const page = await open();
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate<string>("document.activeElement.textContent.trim()");
    expect(await focused()).toBe("Skip to the figures");
    await page.keyboard.press("Enter");
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("main");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("as table");
  });

  test("single keys choose ranges, shift them, go to pages, find tools and explain themselves", async () => {
    const page = await open();
    await page.keyboard.press("2");
    expect(new URL(page.url()).search).toBe("?last=1h");
    await page.keyboard.press("4");
    expect(new URL(page.url()).search).toBe("");
    await page.keyboard.press("[");
    expect(new URL(page.url()).search).toMatch(/^\?from=.+Z&to=.+Z$/);
    await page.keyboard.press("]");
    expect(new URL(page.url()).search).toBe("");
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").isVisible()).toBe(false);
    await page.keyboard.press("/");
    await page.keyboard.type("2credit");
    expect(new URL(page.url()).search).toBe("");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).pathname).toBe("/");
    await page.getByLabel("Find a tool").fill("credit");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).pathname).toBe("/tools/issue_credit");
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("main");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    expect(new URL(page.url()).pathname).toBe("/runs");
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    expect(new URL(page.url()).pathname).toBe("/");
  });

  test("375 pixels are wide enough: nothing makes the page scroll sideways, with menus open either", async () => {
    const page = await open("?last=14d&model=example-small", { viewport: { width: 375, height: 700 } });
    expect(await overflow(page)).toBe(0);
    for (const summary of await page.locator(".scope-bar summary").all()) {
      await summary.click();
      expect(await overflow(page)).toBe(0);
    }
    const tables = await open("?last=14d&table=rates,outcomes,funnel", { viewport: { width: 375, height: 700 } });
    expect(await overflow(tables)).toBe(0);
  });
});

describe("what stands where figures would", () => {
  test("an empty scope says so, leads out of it, and shows the lines that would fill it", async () => {
    const { page } = await browser.open(`${service.url}/?last=15m&model=example-small`);
    await page.getByText("No call in this scope.").waitFor();
    const main = await textOf(page.locator("main"));
    expect(main).toContain("instrumentExecutor(callTool, { tools })");
    expect(main).not.toContain("%");
    await page.getByRole("link", { name: "Take out the filters" }).click();
    expect(new URL(page.url()).search).toBe("?last=15m");
    await page.getByRole("link", { name: "Show everything that was ever recorded" }).click();
    expect(new URL(page.url()).search).toBe("?last=all");
    await page.locator("[data-tile]").first().waitFor();
  });

  test("what the API refuses is shown in its own words, and the figures of another scope are not left standing", async () => {
    const page = await open();
    await page.goto(`${service.url}/?last=14d&rung=9`);
    await page.getByText("This cannot be answered as it is asked").waitFor();
    const refusal = await fetch(`${service.url}/api/v1/funnel?last=14d&rung=9`);
    const { errors } = (await refusal.json()) as { errors: { message: string }[] };
    expect(await textOf(page.locator("main"))).toContain(errors[0]!.message);
    expect(await page.locator("[data-tile]").count()).toBe(0);
  });

  test("a service that does not answer is said, and asking again brings the figures", async () => {
    const { page } = await browser.open("about:blank");
    await page.route("**/api/**", (route) => route.abort("connectionrefused"));
    await page.goto(`${service.url}/?last=14d&refresh=off`);
    await page.getByText("The service does not answer").waitFor();
    await page.unroute("**/api/**");
    await page.getByRole("button", { name: "Ask again" }).first().click();
    await page.locator("[data-tile]").first().waitFor();
  });

  test("an address that is no page leads back to those that are", async () => {
    const { page } = await browser.open(`${service.url}/nowhere/at-all`);
    await page.getByRole("heading", { name: "Nothing is here" }).waitFor();
    await page.getByRole("link", { name: "The overview" }).click();
    await page.locator("[data-tile]").first().waitFor();
  });
});

test("no page violated the content security policy, failed in a script or asked anyone but the service", () => {
  expect(complaints.flat()).toEqual([]);
});
