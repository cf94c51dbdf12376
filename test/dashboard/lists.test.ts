/** The lists of runs and episodes in a real browser: what they hold is the API's, and all state is in the address. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatCount, formatTime } from "../../analytics/client/format.ts";
import type { EpisodesAnswer, RunsAnswer } from "../../analytics/questions/list-answer.ts";
import { launchBrowser, overflow, seriousFindings, type TestBrowser } from "../support/browser.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTelemetry, type Telemetry } from "../support/telemetry.ts";
import { script, tellStory } from "./told-runs.ts";

const MINUTE = 60_000;
/** More than one request holds. */
const SMALL_RUNS = 60;

let service: TestService;
let telemetry: Telemetry;
let browser: TestBrowser;

beforeAll(async () => {
  service = await startTestService();
  telemetry = startTelemetry(service.url);
  browser = await launchBrowser();
  const now = Date.now();
  tellStory(now - 30 * MINUTE, { runId: "story" });
  for (let index = 0; index < SMALL_RUNS; index++) {
    const { run, turn } = script(now - (120 + index) * MINUTE, { runId: `small-${index}` });
    if (index % 10 === 0) turn(["book_room", { start: "soon", nights: 1 }]);
    turn(["book_room", { start: "2026-01-15", nights: 1 }]);
    run.end(index % 10 === 5 ? "exhausted" : "completed");
  }
  const open = script(now - 2 * MINUTE, { runId: "open" });
  open.turn(["book_room", { start: "soon", nights: 1 }]);
  await arrived();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await telemetry?.shutdown();
  await service?.close();
});

async function arrived(): Promise<void> {
  await telemetry.flush();
  await service.settled();
}

async function open(path: string, options?: Parameters<TestBrowser["open"]>[1]) {
  const opened = await browser.open(`${service.url}${path}`, options);
  await opened.page.waitForSelector("[data-row], .empty");
  return opened;
}

interface ShownRow {
  readonly key: string;
  readonly cells: readonly string[];
}

const rowsOf = (page: Page): Promise<ShownRow[]> =>
  page.locator("[data-row]").evaluateAll((all) =>
    all.map((row) => ({
      key: (row as HTMLElement).dataset.row!,
      cells: [...row.children].map((cell) => (cell as HTMLElement).innerText.replaceAll("\n", " ")),
    })),
  );
const keysOf = async (page: Page) => (await rowsOf(page)).map(({ key }) => key);
const chips = (page: Page) => page.locator(".chip").allInnerTexts();
const address = (page: Page) => new URL(page.url()).searchParams;
const episodeKey = (episode: EpisodesAnswer["episodes"][number]) =>
  `${episode.run_id} ${episode.kind} ${episode.turn}.${episode.ordinal}`;

describe("runs", () => {
  test("the first rows are the API's, newest first, with outcome, turns, calls, rejected calls and pending episodes", async () => {
    const { page } = await open("/runs?last=24h");
    const { runs, total } = await service.ask<RunsAnswer>("/api/v1/runs?last=24h&limit=50");
    const rows = await rowsOf(page);
    expect(rows.map(({ key }) => key)).toEqual(runs.map(({ run_id }) => run_id));
    for (const [index, { cells }] of rows.entries()) {
      const run = runs[index]!;
      expect(cells.slice(0, 2)).toEqual([run.run_id, formatTime(run.started_at)]);
      expect(cells[2]).toBe(run.outcome ?? (run.ended ? "end unknown" : "not ended"));
      const counts = [run.model_turns, run.calls, run.rejected_calls, run.episodes, run.pending_episodes];
      expect(cells.slice(4, 9)).toEqual(counts.map(formatCount));
    }
    expect(rows.find(({ key }) => key === "open")!.cells[8]).toBe("1");
    expect(rows.find(({ key }) => key === "story")!.cells[6]).toBe("7");
    expect(await page.locator("[data-total]").innerText()).toContain(
      `${formatCount(total)} runs, newest first; 50 shown`,
    );
  });

  test("more rows come on demand until all are there, each once", async () => {
    const { page } = await open("/runs?last=24h");
    await page.getByRole("button", { name: "show more runs" }).click();
    await expect.poll(async () => (await keysOf(page)).length).toBe(SMALL_RUNS + 2);
    const keys = await keysOf(page);
    expect(new Set(keys).size).toBe(SMALL_RUNS + 2);
    expect(keys.at(-1)).toBe(`small-${SMALL_RUNS - 1}`);
  });

  test("an outcome that is chosen is in the address and in a chip; the back button and the chip take it out", async () => {
    const { page } = await open("/runs?last=24h");
    await page.getByLabel("Ended").selectOption("exhausted");
    const { runs } = await service.ask<RunsAnswer>("/api/v1/runs?last=24h&outcome=exhausted");
    await expect.poll(() => keysOf(page)).toEqual(runs.map(({ run_id }) => run_id));
    expect(runs).toHaveLength(SMALL_RUNS / 10);
    expect(address(page).get("outcome")).toBe("exhausted");
    expect(await chips(page)).toEqual(["Ended: exhausted ×"]);
    await page.goBack();
    await expect.poll(async () => (await keysOf(page)).length).toBe(50);
    await page.goForward();
    await page.getByRole("button", { name: "Take out Ended: exhausted" }).click();
    await expect.poll(async () => (await keysOf(page)).length).toBe(50);
    expect(address(page).has("outcome")).toBe(false);
  });

  test("filters of the scope narrow the list", async () => {
    const { page } = await open("/runs?last=24h&tool=send_mail");
    expect(await keysOf(page)).toEqual(["story"]);
  });

  test("a new run appears on top without a reload, and a row leads to its run", async () => {
    const { page, complaints } = await open("/runs?last=24h&refresh=5s");
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    const late = script(Date.now() - MINUTE, { runId: "late" });
    late.turn(["book_room", { start: "2026-01-15", nights: 1 }]);
    late.run.end("completed");
    await arrived();
    await expect.poll(async () => (await keysOf(page))[0], { timeout: 15_000 }).toBe("late");
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
    await page.getByRole("link", { name: "late" }).click();
    await page.waitForSelector("[data-call='0.0']");
    expect(new URL(page.url()).pathname).toBe("/runs/late");
    expect(address(page).get("last")).toBe("24h");
    expect(complaints).toEqual([]);
  });

  test("an interval without runs says which event would fill it", async () => {
    const { page } = await open("/runs?from=2026-01-01T00:00Z&to=2026-01-02T00:00Z");
    expect(await page.locator(".empty").innerText()).toContain("first span that carries its id");
    await page.getByRole("link", { name: "look at all times" }).click();
    await page.waitForSelector("[data-row]");
  });
});

describe("episodes", () => {
  test("the rows are the API's for the funnel row, next action, state, outcome and fingerprint of the address", async () => {
    for (const query of [
      "last=24h&row=repaired_turn_1",
      "last=24h&row=unresolved_escalated,repaired_late",
      "last=24h&next_action=repeated_unchanged",
      "last=24h&state=pending",
      "last=24h&outcome=escalated&fingerprint=invalid:start:date_format",
      "last=24h&kind=denial",
    ]) {
      const { page } = await open(`/episodes?${query}`);
      const { episodes, total } = await service.ask<EpisodesAnswer>(`/api/v1/episodes?${query}&limit=50`);
      expect(total, query).toBeGreaterThan(0);
      const rows = await rowsOf(page);
      expect(rows.map(({ key }) => key)).toEqual(episodes.map(episodeKey));
      for (const [index, { cells }] of rows.entries()) {
        const episode = episodes[index]!;
        expect(cells[0]).toBe(
          `${formatTime(episode.opened_at)} call ${episode.turn}.${episode.ordinal} of ${episode.run_id}`,
        );
        expect(cells[2]).toBe(`${episode.fingerprint} ${episode.failure_class}`);
        expect(cells.slice(5, 7)).toEqual([formatCount(episode.attempts), formatCount(episode.extra_model_turns)]);
        expect(cells[7]).toBe(
          episode.attributed_tokens === null ? "not reported" : formatCount(episode.attributed_tokens),
        );
      }
      await page.context().close();
    }
  });

  test("each filter of the address is a chip that can be taken out by itself", async () => {
    const { page } = await open(
      "/episodes?last=24h&row=repaired_turn_1,repaired_late&fingerprint=invalid:start:date_format",
    );
    const before = (await keysOf(page)).length;
    expect((await chips(page)).toSorted()).toEqual([
      "Fingerprint: invalid:start:date_format ×",
      "Funnel row: repaired late ×",
      "Funnel row: repaired on the next turn ×",
    ]);
    await page.getByRole("button", { name: "Take out Funnel row: repaired late" }).click();
    await expect.poll(async () => (await keysOf(page)).length).toBe(before - 1);
    expect(address(page).get("row")).toBe("repaired_turn_1");
    await page.getByRole("button", { name: "Take out Fingerprint: invalid:start:date_format" }).click();
    await expect.poll(async () => (await keysOf(page)).length).toBe(before);
    expect(address(page).has("fingerprint")).toBe(false);
    await page.goBack();
    await page.goBack();
    await expect.poll(async () => (await keysOf(page)).length).toBe(before);
    expect(address(page).get("row")).toBe("repaired_turn_1,repaired_late");
  });

  test("a row leads to the run with the call that opened the episode in focus", async () => {
    const { page } = await open("/episodes?last=24h&kind=recovery");
    await page.locator("[data-row='story recovery 6.0'] a").first().click();
    await expect
      .poll(() => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.call))
      .toBe("6.0");
    expect(new URL(page.url()).pathname).toBe("/runs/story");
    expect(address(page).get("call")).toBe("6.0");
  });

  test("choices narrow the list by hand, and nothing that matches is said with a way back", async () => {
    const { page } = await open("/episodes?last=24h");
    await page.getByLabel("Kind").selectOption("denial");
    await expect.poll(() => keysOf(page)).toEqual(["story denial 8.0"]);
    await page.getByLabel("Next action").selectOption("gave_up");
    await page.waitForSelector(".empty");
    expect(await page.locator(".empty").innerText()).toContain("a call that policy or a person denied");
    await page.getByRole("link", { name: "Take the filters of this list out" }).click();
    await expect.poll(() => keysOf(page)).toEqual(["story denial 8.0"]);
  });

  test("a value that the API does not know is refused in the API's own words", async () => {
    const { page } = await browser.open(`${service.url}/episodes?last=24h&row=repared_turn_1`);
    await page.waitForSelector(".failure");
    expect(await page.locator(".failure").innerText()).toContain("repared_turn_1");
  });
});

describe("for everyone", () => {
  for (const path of ["/runs?last=24h", "/episodes?last=24h&row=repaired_turn_1"]) {
    for (const colorScheme of ["light", "dark"] as const) {
      test(`axe finds nothing serious on ${path}, ${colorScheme}, and the page keeps to 375 pixels`, async () => {
        const { page, complaints } = await open(path, { colorScheme });
        expect(await seriousFindings(page)).toEqual([]);
        await page.setViewportSize({ width: 375, height: 800 });
        expect(await overflow(page)).toBe(0);
        expect(complaints).toEqual([]);
      });
    }
  }
});
