import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { checkListen, isLoopback } from "../../access/listen.ts";
import { AccessError, checkToken, requireToken } from "../../access/tokens.ts";

const INGEST = "ingest-token-0123456789";
const READ = "read-token-0123456789";

describe("a bearer token", () => {
  const app = new Hono();
  app.use(requireToken(INGEST, "MULLIGAN_INGEST_TOKEN"));
  app.get("/", (context) => context.text("in"));
  const get = (authorization?: string) =>
    app.request("/", authorization === undefined ? {} : { headers: { authorization } });

  it("lets in who sends it, whatever the case of the scheme", async () => {
    expect((await get(`Bearer ${INGEST}`)).status).toBe(200);
    expect((await get(`bearer ${INGEST}`)).status).toBe(200);
  });

  it.each([
    undefined,
    "",
    "Bearer",
    `Basic ${INGEST}`,
    `Bearer ${INGEST}x`,
    `Bearer ${INGEST.slice(0, -1)}`,
    `Bearer ${INGEST} ${INGEST}`,
  ])("keeps out %j, and says what to send", async (authorization) => {
    const answer = await get(authorization);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      code: 16,
      message: expect.stringContaining("Authorization: Bearer <token>"),
    });
    expect(text).not.toContain(INGEST.slice(0, 8));
  });

  it("is refused where it can be guessed or does not travel in a header, and is not repeated", () => {
    expect(() => checkToken("short", "MULLIGAN_READ_TOKEN")).toThrow(
      "MULLIGAN_READ_TOKEN has 5 characters and needs at least 16",
    );
    expect(() => requireToken("0123456789abcde", "MULLIGAN_READ_TOKEN")).toThrow(AccessError);
    expect(() => checkToken("sesame open sesame", "MULLIGAN_READ_TOKEN")).toThrow(/^(?!.*sesame).*printable ASCII/);
    expect(() => checkToken("0123456789abcdef", "MULLIGAN_READ_TOKEN")).not.toThrow();
  });
});

describe("an address to listen on", () => {
  it.each(["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LOCALHOST"])(
    "%s is loopback, and needs no token",
    (host) => {
      expect(isLoopback(host)).toBe(true);
      expect(() => checkListen({ host })).not.toThrow();
    },
  );

  it.each(["0.0.0.0", "::", "192.168.1.2", "example.org", "127.0.0.1.example.org", "", "::ffff:10.0.0.1"])(
    "%j is open to others, and needs both tokens",
    (host) => {
      expect(isLoopback(host)).toBe(false);
      expect(() => checkListen({ host })).toThrow("MULLIGAN_INGEST_TOKEN and MULLIGAN_READ_TOKEN are not set");
      expect(() => checkListen({ host, ingestToken: INGEST })).toThrow("MULLIGAN_READ_TOKEN is not set");
      expect(() => checkListen({ host, readToken: READ })).toThrow("MULLIGAN_INGEST_TOKEN is not set");
      expect(() => checkListen({ host, ingestToken: INGEST, readToken: READ })).not.toThrow();
      expect(() => checkListen({ host, ingestToken: INGEST, readToken: "x" })).toThrow(AccessError);
    },
  );

  it("refuses a token that is too short on loopback too", () => {
    expect(() => checkListen({ host: "127.0.0.1", readToken: "x" })).toThrow(AccessError);
  });
});
