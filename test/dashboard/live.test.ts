/** Pages while their service changes: new runs, a service that goes away, a service with a read token. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser, seriousFindings, type TestBrowser } from "../support/browser.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { runRequest, send } from "../support/spans.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe("a service that runs", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service?.close());

  test("an empty page fills with the first runs, and a later one appears, without a reload", async () => {
    const { page, complaints } = await browser.open(`${service.url}/?refresh=5s`);
    await page.getByText("No call in this scope.").waitFor();
    await page.evaluate("globalThis.stayed = true");
    expect(await send(service.url, runRequest("first-run", 4, Date.now() - 60_000).body)).toBe(true);
    await page.locator("[data-run=first-run]").waitFor({ timeout: 20_000 });
    expect(await send(service.url, runRequest("second-run", 4, Date.now() - 30_000).body)).toBe(true);
    await page.locator("[data-run=second-run]").waitFor({ timeout: 20_000 });
    const runs = await page
      .locator("[data-run]")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-run")));
    expect(runs).toEqual(["second-run", "first-run"]);
    expect(await page.evaluate("globalThis.stayed")).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("unsettled episodes are pending and in no rate: the page says no evidence, not 0 %", async () => {
    const { page } = await browser.open(service.url);
    const rate = page.locator("[data-tile=first_repair_rate] [data-rate]");
    await rate.waitFor();
    expect((await rate.innerText()).replace(/\s+/g, " ")).toBe("no evidence 4 pending");
  });
});

describe("a service that goes away under an open page", () => {
  test("the last figures stay, and the page says how old they are and why", async () => {
    const service = await startTestService();
    await send(service.url, runRequest("a-run", 4, Date.now() - 60_000).body);
    await service.settled();
    const { page } = await browser.open(`${service.url}/?refresh=5s`);
    await page.locator("[data-run=a-run]").waitFor();
    await service.close();
    const stale = page.locator(".stale");
    await stale.waitFor({ timeout: 30_000 });
    expect(await stale.innerText()).toMatch(/^Updated \d+ s ago: the service does not answer\./);
    expect(await page.locator("[data-run=a-run]").isVisible()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
  });
});

describe("a service with a read token", () => {
  const MULLIGAN_READ_TOKEN = "a-read-token-of-some-length";
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ env: { MULLIGAN_READ_TOKEN } });
    await send(service.url, runRequest("a-run", 4, Date.now() - 60_000).body);
    await service.settled();
  });
  afterAll(() => service?.close());

  test("the page loads and asks for it; a wrong one is said to be wrong; the right one is kept for the tab, never in the address", async () => {
    const { page, complaints } = await browser.open(service.url);
    const field = page.getByLabel("Read token");
    await page.getByText("This service asks for its read token").waitFor();
    expect(await page.locator("[data-tile]").count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await field.fill("another-token-of-some-length");
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByText("This token is not the read token").waitFor();
    await field.fill(MULLIGAN_READ_TOKEN);
    await field.press("Enter");
    await page.locator("[data-run=a-run]").waitFor();
    expect(page.url()).not.toContain(MULLIGAN_READ_TOKEN);
    await page.reload();
    await page.locator("[data-run=a-run]").waitFor();
    expect(complaints).toEqual([]);
  });
});
