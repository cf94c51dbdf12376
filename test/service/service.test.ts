import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AccessError } from "../../access/tokens.ts";
import { readConfig } from "../../config.ts";
import { startService } from "../../service/service.ts";
import { startPostgres, type TestServer } from "../support/server.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { runRequest } from "../support/spans.ts";

const clock = () => new Date();

function post(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const { body } = runRequest("a-run", 2, Date.now() - 60_000);
  return fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

describe("a service with both tokens", () => {
  const tokens = {
    MULLIGAN_INGEST_TOKEN: "an ingest-token-of-some-length".replace(" ", "-"),
    MULLIGAN_READ_TOKEN: "a-read-token-of-some-length",
  };
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ env: tokens });
  });
  afterAll(() => service.close());

  test("takes spans only with the ingest token, answers only with the read token, and says which one it wants", async () => {
    const ingest = { authorization: `Bearer ${tokens.MULLIGAN_INGEST_TOKEN}` };
    const read = { authorization: `Bearer ${tokens.MULLIGAN_READ_TOKEN}` };
    expect((await post(service.url)).status).toBe(401);
    expect((await post(service.url, read)).status).toBe(401);
    expect((await post(service.url, ingest)).status).toBe(200);
    for (const path of ["/api/v1/funnel", "/metrics"]) {
      const refused = await fetch(service.url + path, { headers: ingest });
      expect(refused.status).toBe(401);
      expect(await refused.text()).toContain("MULLIGAN_READ_TOKEN");
      expect((await fetch(service.url + path, { headers: read })).status).toBe(200);
    }
  });

  test("health needs no token, and no token is ever logged", async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(service.logged.join("")).not.toContain(tokens.MULLIGAN_READ_TOKEN);
  });
});

describe("a service", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  test("tells how far linking is behind, and what became of the spans", async () => {
    expect((await post(service.url)).status).toBe(200);
    await service.settled();
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).toMatch(/^mulligan_waiting_to_assemble 0$/m);
    expect(text).toMatch(/^mulligan_waiting_to_link 0$/m);
    expect(text).toMatch(/^mulligan_oldest_wait_seconds 0$/m);
    expect(text).toMatch(/^mulligan_spans_stored_total 2$/m);
  });

  test("shows an index page that loads nothing from elsewhere, and says of an unknown path what is there", async () => {
    const page = await fetch(`${service.url}/`);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const html = await page.text();
    const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!);
    expect(links.filter((link) => !link.startsWith("/"))).toEqual([]);
    for (const link of links) expect((await fetch(service.url + link)).status).toBe(200);
    const missing = await fetch(`${service.url}/nothing`);
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain("/v1/traces");
  });
});

describe("a service that is told to end", () => {
  test("ends although an upload stalls: what does not go on is cut off after a few seconds", async () => {
    const parent = await mkdtemp(join(tmpdir(), "mulligan-test-"));
    const config = readConfig({ MULLIGAN_DATA_DIR: join(parent, "data"), MULLIGAN_PORT: "0" });
    const service = await startService({ config, clock, log: () => {}, closeMilliseconds: 50 });
    await service.ready;
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    await once(socket, "connect");
    const head =
      "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    await new Promise((resolve) => socket.write(head, resolve));
    const cut = once(socket.resume(), "close");
    // A request behind it on another connection: the stalled one is being read when this one is answered.
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await service.close();
    await cut;
    await rm(parent, { recursive: true, force: true });
  });
});

describe("where the service may not or cannot listen", () => {
  const start = (env: Record<string, string>) =>
    startService({ config: readConfig({ MULLIGAN_DATA_DIR: "/nonexistent/mulligan", ...env }), clock, log: () => {} });

  test("another address than loopback is refused without both tokens, before anything is opened", async () => {
    await expect(start({ MULLIGAN_HOST: "0.0.0.0", MULLIGAN_PORT: "0" })).rejects.toThrow(AccessError);
    await expect(
      start({ MULLIGAN_HOST: "0.0.0.0", MULLIGAN_READ_TOKEN: "a-read-token-of-some-length" }),
    ).rejects.toThrow(/MULLIGAN_INGEST_TOKEN is not set/);
  });

  test("a taken port is named, with what to set instead", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number };
    await expect(start({ MULLIGAN_PORT: String(port) })).rejects.toThrow(
      new RegExp(`Port ${port} on 127.0.0.1 is taken.*--port`),
    );
    await new Promise((resolve) => taken.close(resolve));
  });
});

const postgres: TestServer | null = await startPostgres();
if (postgres === null)
  console.warn("service.test.ts: no PostgreSQL is installed here, so its start without a database is skipped");

describe.skipIf(postgres === null)("a service that starts before its database", () => {
  afterEach(() => postgres?.close());

  test("is alive and not ready, answers 503 with Retry-After, and serves once the database is there", async () => {
    await postgres!.stop();
    const logged: string[] = [];
    const config = readConfig({ DATABASE_URL: postgres!.url, MULLIGAN_PORT: "0" });
    const service = await startService({ config, clock, log: (event) => logged.push(event) });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    const away = await post(service.url);
    expect(away.status).toBe(503);
    expect(["1", "2"]).toContain(away.headers.get("retry-after"));
    expect((await fetch(`${service.url}/api/v1/funnel`)).status).toBe(503);
    await postgres!.start();
    expect(await service.ready).not.toBeNull();
    expect(logged).toContain("the database does not answer");
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await post(service.url)).status).toBe(200);
    await service.close();
  });
});
