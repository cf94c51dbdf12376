/** The run page in a real browser, over runs of a real instrumented executor. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatCount, formatDuration, formatTime } from "../../analytics/client/format.ts";
import type { RunAnswer } from "../../analytics/questions/run-answer.ts";
import { launchBrowser, overflow, seriousFindings, type TestBrowser } from "../support/browser.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTelemetry, type Telemetry } from "../support/telemetry.ts";
import { script, tellLongRun, tellStory } from "./told-runs.ts";

const HOUR = 3_600_000;
const LONG_TURNS = 200;
const FAILING = [50, 120, 121];

let service: TestService;
let telemetry: Telemetry;
let browser: TestBrowser;
let story: RunAnswer;
let long: string;

beforeAll(async () => {
  service = await startTestService();
  telemetry = startTelemetry(service.url);
  browser = await launchBrowser();
  const start = Date.now() - 2 * HOUR;
  tellStory(start, { runId: "story" });
  long = tellLongRun(start, LONG_TURNS, FAILING).id;
  const child = script(start + 60_000, { runId: "child", parentRunId: "story", parentCallId: "call_3" });
  child.turn(["get_weather", { city: "Oslo" }]);
  child.run.end();
  const first = script(start, { runId: "resumed" });
  first.turn(["book_room", { start: "soon", nights: 1 }]);
  first.run.end();
  const second = script(start + HOUR, { runId: "resumed", leg: 1 });
  second.turn(["book_room", { start: "2026-01-15", nights: 1 }]);
  second.run.end("completed");
  await arrived();
  story = await service.ask<RunAnswer>("/api/v1/runs/story");
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
  await opened.page.waitForSelector("[data-run-facts], .empty");
  return opened;
}

const place = (at: { readonly turn: number; readonly ordinal: number }) => `${at.turn}.${at.ordinal}`;
const address = (page: Page) => new URL(page.url()).searchParams;
const focused = (page: Page) =>
  page.evaluate(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset.call : undefined,
  );

describe("what it shows is the run answer", () => {
  let page: Page;
  beforeAll(async () => {
    page = (await open("/runs/story")).page;
  });

  test("the head states outcome, turns, calls, episodes, tokens, times, source and the runs that it started", async () => {
    const facts = Object.fromEntries(
      await page
        .locator("[data-run-facts] .fact")
        .evaluateAll((all) => all.map((fact) => [fact.children[0]!.textContent, fact.children[1]!.textContent])),
    ) as Record<string, string>;
    const { run, turns, calls, episodes } = story;
    const sum = (of: (turn: (typeof turns)[number]) => number | null) =>
      formatCount(turns.reduce((total, turn) => total + of(turn)!, 0));
    expect(facts).toMatchObject({
      Ended: "escalated",
      "Model turns": `${run.model_turns}1 text only`,
      Calls: `${run.calls}${calls.filter(({ verdict }) => verdict === "rejected").length} rejected`,
      Episodes: String(episodes.length),
      Duration: formatDuration(Date.parse(run.ended_at) - Date.parse(run.started_at)),
      "Input tokens": sum(({ input_tokens }) => input_tokens),
      "Cached input": sum(({ cached_input_tokens }) => cached_input_tokens),
      "Output tokens": sum(({ output_tokens }) => output_tokens),
      Agent: "bookings",
      Model: "example-model",
      Started: formatTime(run.started_at),
      Source: "otlp",
      "Started 1 run": "child",
    });
    expect([run.model_turns, run.calls, episodes.length]).toEqual([14, 16, 7]);
  });

  test("every model turn has a lane in order, with model, tokens and duration; a turn of text alone has one too", async () => {
    const lanes = await page
      .locator("[data-turn]")
      .evaluateAll((all) =>
        all.map((lane) => [(lane as HTMLElement).dataset.turn, lane.querySelector(".lane-facts")!.textContent]),
      );
    expect(lanes).toEqual(
      story.turns.map((turn) => [
        String(turn.turn),
        `${turn.model}${formatCount(turn.input_tokens!)} in, ${formatCount(turn.cached_input_tokens!)} cached` +
          `${formatCount(turn.output_tokens!)} out · ${formatDuration(turn.duration_ms)}`,
      ]),
    );
    expect(await page.locator("[data-turn='2'] .lane-calls").innerText()).toContain("text only");
  });

  test("every call stands in its turn's lane with tool, verdict, class, fingerprint, template and latency", async () => {
    const shown = await page.locator("[data-call]").evaluateAll((all) =>
      all.map((call) => ({
        turn: Number(call.closest<HTMLElement>("[data-turn]")!.dataset.turn),
        place: (call as HTMLElement).dataset.call,
        verdict: (call as HTMLElement).dataset.verdict,
        text: (call as HTMLElement).innerText.replaceAll("\n", " "),
      })),
    );
    expect(shown.map(({ turn, place, verdict }) => [turn, place, verdict])).toEqual(
      story.calls.map((call) => [call.turn, place(call), call.verdict]),
    );
    for (const [index, { text }] of shown.entries()) {
      const call = story.calls[index]!;
      expect(text).toContain(call.tool === "_unknown" ? "a tool that was not offered" : call.tool);
      expect(text).toContain(`template ${call.template_version}`);
      expect(text).toContain(formatDuration(call.duration_ms));
      for (const part of [call.failure_class, call.fingerprint]) if (part !== null) expect(text).toContain(part);
    }
  });

  test("the episodes under it are the answer's, with attempts, state, extra turns and usage", async () => {
    const rows = await page
      .locator("[data-episode]")
      .evaluateAll((all) => all.map((row) => [(row as HTMLElement).dataset.episode, (row as HTMLElement).innerText]));
    expect(rows.map(([key]) => key)).toEqual(story.episodes.map(({ kind, opening }) => `${kind} ${place(opening)}`));
    for (const [index, [, text]] of rows.entries()) {
      const episode = story.episodes[index]!;
      for (const attempt of episode.attempts) expect(text).toContain(place(attempt));
      expect(text).toContain(`${formatCount(episode.usage.input_tokens!)} input tokens`);
      expect(text).toContain(`${formatCount(episode.usage.output_tokens!)} output tokens`);
      expect(text).toContain(formatDuration(episode.usage.duration_ms));
      expect(text!.split("\t")).toContain(formatCount(episode.extra_model_turns));
    }
    const states = rows.map(([, text]) => /not repaired|not allowed|repaired|recovered|allowed/.exec(text!)![0]);
    expect(states).toEqual([
      ...["repaired", "repaired", "repaired", "recovered", "not allowed", "repaired", "not repaired"],
    ]);
  });

  test("the outcome is the last lane, in words", async () => {
    const last = page.locator(".lanes > li").last();
    expect(await last.getAttribute("data-outcome")).toBe("escalated");
    expect(await last.innerText()).toContain("handed to a person");
  });

  test("the table twin has a row per call and per turn of text, with the same figures, and is in the address", async () => {
    const { page: twin } = await open("/runs/story?table=timeline");
    const rows = await twin
      .locator("[data-figure='timeline'] [data-row]")
      .evaluateAll((all) => all.map((row) => [(row as HTMLElement).dataset.row, (row as HTMLElement).innerText]));
    const expected = story.turns.flatMap(({ turn }) => {
      const calls = story.calls.filter((call) => call.turn === turn);
      return calls.length === 0 ? [String(turn)] : calls.map(place);
    });
    expect(rows.map(([key]) => key)).toEqual(expected);
    for (const call of story.calls) {
      const text = rows.find(([key]) => key === place(call))![1]!;
      for (const part of [call.tool, call.verdict, call.fingerprint ?? "", formatDuration(call.duration_ms), "1,200"]) {
        expect(text).toContain(part);
      }
    }
    await twin.getByRole("button", { name: "as table" }).click();
    await twin.waitForSelector(".lanes");
    await twin.goBack();
    await twin.waitForSelector("[data-row='0.0']");
  });
});

describe("arrows and marks", () => {
  test("an arrow runs from each opening call to each of its attempts, dashed exactly where order alone links them", async () => {
    const { page } = await open("/runs/story");
    await page.waitForSelector("[data-from]");
    const arrows = await page.locator("g[data-from]").evaluateAll((all) =>
      all.map((arrow) => {
        const { from, to, kind, evidence, resolves } = (arrow as SVGGElement & HTMLElement).dataset;
        const dash = getComputedStyle(arrow.querySelector(".arrow-line")!).strokeDasharray;
        return { from, to, kind, evidence, resolves, dashed: dash !== "none" };
      }),
    );
    const expected = story.episodes.flatMap(({ kind, opening, attempts, repaired }) =>
      attempts.map((attempt, index) => ({
        ...{ from: place(opening), to: place(attempt), kind, evidence: attempt.evidence },
        resolves: String(repaired && index === attempts.length - 1),
        dashed: attempt.evidence === "order",
      })),
    );
    expect(arrows).toHaveLength(expected.length);
    expect(arrows).toEqual(expect.arrayContaining(expected));
    expect(new Set(expected.map(({ kind }) => kind))).toEqual(new Set(["repair", "recovery", "denial"]));
    expect(expected.filter(({ dashed }) => dashed)).toHaveLength(1);
  });

  for (const width of [1280, 375]) {
    test(`both ends of every arrow touch the calls that it connects, at ${width} pixels`, async () => {
      const { page } = await open("/runs/story", { viewport: { width, height: 900 } });
      await page.waitForSelector("[data-from]");
      const gaps = await page.locator("g[data-from]").evaluateAll((all) =>
        all.flatMap((arrow) => {
          const { from, to } = (arrow as SVGGElement & HTMLElement).dataset;
          const line = arrow.querySelector<SVGPathElement>(".arrow-line")!;
          const corner = line.ownerSVGElement!.getBoundingClientRect();
          const gap = (end: DOMPoint, call: string | undefined) => {
            const box = document.querySelector(`[data-call="${call}"]`)!.getBoundingClientRect();
            const [x, y] = [end.x + corner.left, end.y + corner.top];
            const outside = Math.max(box.left - x, x - box.right, box.top - y, y - box.bottom);
            return Math.abs(Math.round(outside));
          };
          return [gap(line.getPointAtLength(0), from), gap(line.getPointAtLength(line.getTotalLength()), to)];
        }),
      );
      expect(gaps.length).toBeGreaterThan(10);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(1);
    });
  }

  test("calls carry the same letter exactly where signature and key are equal, and say so in words", async () => {
    const { page } = await open("/runs/story");
    const marks = Object.fromEntries(
      await page
        .locator("[data-call]")
        .evaluateAll((all) =>
          all.map((call) => [(call as HTMLElement).dataset.call, (call as HTMLElement).dataset.signatureMark ?? null]),
        ),
    ) as Record<string, string | null>;
    for (const one of story.calls) {
      const equal = story.calls.filter((call) => call.signature === one.signature && call.key_id === one.key_id);
      const letters = new Set(equal.map((call) => marks[place(call)]));
      expect(letters.size).toBe(1);
      expect(letters.has(null)).toBe(equal.length === 1);
    }
    expect(Object.entries(marks).filter(([, mark]) => mark !== null)).toEqual([
      ...[
        ["0.0", "A"],
        ["1.0", "A"],
        ["6.0", "B"],
        ["7.0", "B"],
        ["8.0", "C"],
        ["9.0", "C"],
      ],
    ]);
    expect(await page.locator("[data-call='1.0']").innerText()).toContain("same call again (A), as 0.0");
  });

  test("what an arrow says to the eye, the call's description says to a screen reader", async () => {
    const { page } = await open("/runs/story");
    const described = (call: string) =>
      page.locator(`[data-call='${call}']`).evaluate((button) => {
        const id = button.getAttribute("aria-describedby")!;
        return document.getElementById(id)!.textContent;
      });
    expect(await described("0.0")).toContain("Repaired by the call in turn 3.");
    expect(await described("1.0")).toContain(
      "Repair attempt 1 of the call in turn 0, unchanged, linked by equal arguments.",
    );
    expect(await described("3.0")).toContain("Repair attempt 2 of the call in turn 0, changed");
    expect(await described("5.1")).toContain("Repair attempt 1 of call 4.1 in turn 4, changed");
    expect(await described("7.0")).toContain("Recovery attempt 1 of the call in turn 6, unchanged");
    expect(await described("9.0")).toContain("Attempt after a denial 1 of the call in turn 8, unchanged");
    expect(await described("13.0")).toContain("linked by order alone");
    expect(await described("1.1")).toBe("");
  });
});

describe("by keyboard", () => {
  test("j, k and the arrow keys go from call to call, and the address keeps the place without new steps back", async () => {
    const { page } = await open("/runs/story");
    const before = await page.evaluate(() => history.length);
    const visited: (string | undefined)[] = [];
    for (const key of [
      "j",
      "j",
      "j",
      "k",
      "ArrowLeft",
      "ArrowDown",
      "ArrowDown",
      "ArrowRight",
      "ArrowUp",
      "End",
      "Home",
    ]) {
      await page.keyboard.press(key);
      visited.push(await focused(page));
      expect(address(page).get("call")).toBe(visited.at(-1));
    }
    expect(visited).toEqual(["0.0", "1.0", "1.1", "1.0", "1.0", "3.0", "4.0", "4.1", "3.0", "13.0", "0.0"]);
    expect(await page.evaluate(() => history.length)).toBe(before);
  });

  test("Enter opens a call in full, moving takes the details along, Escape closes them, the back button too", async () => {
    const { page } = await open("/runs/story?call=1.0");
    await expect.poll(() => focused(page)).toBe("1.0");
    await page.keyboard.press("Enter");
    const details = page.locator("[data-details]");
    await details.waitFor();
    const call = story.calls.find((one) => place(one) === "1.0")!;
    const text = await details.innerText();
    for (const part of [call.signature, call.key_id, call.fingerprint, call.call_id, call.schema_version]) {
      expect(text).toContain(part);
    }
    for (const digest of call.argument_digests!) expect(text).toContain(digest);
    expect(text).toContain("reversible write");
    expect(await page.locator("[data-call='1.0']").getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("j");
    await expect.poll(() => details.getAttribute("data-details")).toBe("1.1");
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("1.1");
    await page.keyboard.press("Enter");
    await details.waitFor();
    await page.goBack();
    await details.waitFor({ state: "detached" });
  });

  test("Tab reaches one call of the lanes, not each of them", async () => {
    const { page } = await open("/runs/story");
    expect(await page.locator("[data-call][tabindex='0']").count()).toBe(1);
    expect(await page.locator("[data-call][tabindex='-1']").count()).toBe(story.calls.length - 1);
  });
});

describe("long runs", () => {
  test("turns without failures fold into lines that say how many they are, and open on demand", async () => {
    const { page } = await open(`/runs/${long}`);
    const drawn = () =>
      page.locator("[data-turn]").evaluateAll((all) => all.map((lane) => Number((lane as HTMLElement).dataset.turn)));
    expect(await drawn()).toEqual([0, 49, 50, 51, 52, 119, 120, 121, 122, 123, 199]);
    expect(await page.locator("[data-folded]").allInnerTexts()).toEqual([
      expect.stringContaining("show 48 turns without failures"),
      expect.stringContaining("show 66 turns without failures"),
      expect.stringContaining("show 75 turns without failures"),
    ]);
    await page.getByRole("button", { name: "show 48 turns without failures" }).click();
    await expect.poll(drawn).toHaveLength(11 + 48);
    expect(address(page).get("turns")).toBe("1-48");
    await page.goBack();
    await expect.poll(drawn).toHaveLength(11);
  });

  test("a run that fails all the way is drawn 200 turns at a time, its arrows with it", async () => {
    const { run, turn } = script(Date.now() - HOUR, { runId: "hopeless" });
    for (let at = 0; at < 250; at++) turn(["book_room", { start: "soon", nights: 2 }]);
    run.end("exhausted", { budget: "turns" });
    await arrived();
    const { page } = await open("/runs/hopeless");
    const drawn = async () => [
      await page.locator("[data-turn]").count(),
      await page.locator("g[data-from='0.0']").count(),
    ];
    await expect.poll(drawn).toEqual([200, 199]);
    expect(await page.locator(".lane-outcome").innerText()).toContain("budget: turns");
    await page.getByRole("button", { name: "show 50 more turns" }).click();
    await expect.poll(drawn).toEqual([250, 249]);
  });

  test("a link to a call draws it although its turns are folded", async () => {
    const { page } = await open(`/runs/${long}?call=80.0`);
    await expect.poll(() => focused(page)).toBe("80.0");
    expect(await page.locator("[data-call='80.0']").isVisible()).toBe(true);
    expect(await page.locator("[data-turn='78']").count()).toBe(0);
  });
});

describe("other runs", () => {
  test("a run that is not ended says what is pending, and goes on without a reload", async () => {
    const { run, turn } = script(Date.now() - 60_000, { runId: "live" });
    turn(["book_room", { start: "soon", nights: 2 }]);
    await arrived();
    const { page, complaints } = await open("/runs/live?refresh=5s");
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    expect(await page.locator("main").innerText()).toContain("1 episode is pending");
    expect(await page.locator(".lane-outcome").innerText()).toContain("not ended");
    turn(["book_room", { start: "2026-01-15", nights: 2 }]);
    run.end("completed");
    await arrived();
    await page.waitForSelector("g[data-from='0.0'][data-to='1.0'][data-resolves='true']", {
      state: "attached",
      timeout: 15_000,
    });
    expect(await page.locator(".lane-outcome").innerText()).toContain("completed");
    expect(await page.locator("main").innerText()).not.toContain("pending");
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("a child names its parent and an outcome that nobody reported; links between them keep the scope", async () => {
    const { page } = await open("/runs/child?last=30d");
    expect(await page.locator("[data-run-facts]").innerText()).toContain("end unknown");
    await page.locator("[data-run-facts]").getByRole("link", { name: "story" }).click();
    await page.waitForSelector("[data-call='13.0']");
    expect(new URL(page.url()).pathname).toBe("/runs/story");
    expect(address(page).get("last")).toBe("30d");
  });

  test("where a run was resumed, the lane says so", async () => {
    const { page } = await open("/runs/resumed");
    expect(await page.locator("[data-turn='1'] .leg-mark").innerText()).toContain("resumed here · leg 1");
    expect(await page.locator("[data-turn='0'] .leg-mark").count()).toBe(0);
  });

  test("an id that no run has is said with a way on", async () => {
    const { page } = await open("/runs/no-such-run");
    const text = await page.locator("main").innerText();
    expect(text).toContain("There is no such run");
    expect(text).toContain("no-such-run");
    await page.getByRole("link", { name: "See the runs that there are" }).click();
    await page.waitForSelector("[data-row]");
  });
});

describe("for everyone", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`axe finds nothing serious and the browser nothing to complain of, ${colorScheme}, details open`, async () => {
      const { page, complaints } = await open("/runs/story?call=1.0&details=open", { colorScheme });
      await page.waitForSelector("[data-details]");
      expect(await seriousFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });
  }

  for (const path of ["/runs/story", "/runs/story?call=4.1&details=open", "/runs/story?table=timeline"]) {
    test(`${path} does not scroll sideways at 375 pixels`, async () => {
      const { page } = await open(path, { viewport: { width: 375, height: 800 } });
      await page.waitForSelector("[data-call], [data-row]");
      expect(await overflow(page)).toBe(0);
    });
  }
});
