import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pagesApp } from "../../service/pages.ts";
import { startTestService, type TestService } from "../support/service.ts";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("pages of a service", () => {
  let service: TestService;
  let script: string;
  const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
  beforeAll(async () => {
    service = await startTestService({ env: { MULLIGAN_READ_TOKEN: "a-read-token-of-some-length" } });
    script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await get("/")).text())![1]!;
  });
  afterAll(() => service?.close());

  test("load without the read token that the API wants", async () => {
    expect((await get("/", HTML)).status).toBe(200);
    expect((await get(script)).status).toBe(200);
    expect((await get("/api/v1/funnel", HTML)).status).toBe(401);
  });

  test("any address inside them answers the page to a browser, and is asked for again each time", async () => {
    const index = await (await get("/")).text();
    for (const path of ["/", "/tools/search%40npm", "/runs/tau%2F3%2F0", "/episodes?row=undecided"]) {
      const response = await get(path, HTML);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("text/html");
      expect(response.headers.get("cache-control")).toBe("no-cache");
      expect(await response.text()).toBe(index);
    }
    const again = await get("/", { ...HTML, "if-none-match": (await get("/", HTML)).headers.get("etag")! });
    expect(again.status).toBe(304);
  });

  test("files named by their hash are kept for ever and sent compressed; one that is gone is a 404, not the page", async () => {
    const response = await get(script, { "accept-encoding": "gzip" });
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-encoding")).toBe("gzip");
    const gone = await get("/assets/index-gone.js", HTML);
    expect(gone.status).toBe(404);
    expect(await gone.text()).toContain("reload");
    expect(gone.headers.get("cache-control")).toBeNull();
  });

  test("machines get no page: unknown addresses of the API and of the collector stay 404, and so does what no browser asks for", async () => {
    const authorization = "Bearer a-read-token-of-some-length";
    expect((await get("/api/v1/nothing", { ...HTML, authorization })).status).toBe(404);
    expect((await get("/v1/nothing", HTML)).status).toBe(404);
    const missing = await get("/nothing");
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain("/v1/traces");
    expect((await fetch(`${service.url}/runs`, { method: "POST", headers: HTML })).status).toBe(404);
  });

  test("every answer forbids what pages do not need: inline script, other origins, frames, forms", async () => {
    for (const path of ["/", script, "/runs/a-run", "/healthz"]) {
      const { headers } = await get(path, HTML);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  test("nothing outside the built folder is reached", async () => {
    for (const path of [
      "/assets/..%2F..%2Fpackage.json",
      "/assets/%2e%2e/%2e%2e/vite.config.ts",
      "/assets/....//index.html",
    ]) {
      const response = await get(path);
      expect(response.status).toBe(404);
    }
  });
});

describe("pages that are not built", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mulligan-test-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("the address says in plain text what to run, and serves them from the moment that they are", async () => {
    const dist = join(folder, "dist");
    const app = pagesApp(dist);
    const before = await app.request("/");
    expect(before.status).toBe(503);
    expect(before.headers.get("content-type")).toContain("text/plain");
    expect(await before.text()).toContain("npm run build:dashboard");
    await mkdir(dist);
    await writeFile(join(dist, "index.html"), "<!doctype html>");
    expect(await (await app.request("/")).text()).toBe("<!doctype html>");
  });
});
