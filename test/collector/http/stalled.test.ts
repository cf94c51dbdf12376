import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CollectorOptions } from "../../../collector/http/app.ts";
import { createStore, type Store } from "../../../collector/store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { NOON } from "../observations.ts";
import { jsonBody, toolSpan } from "../otlp-bodies.ts";
import { listen, type Service } from "./service.ts";

let database: TestDatabase;
let store: Store;
let service: Service;
const sockets: Socket[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  store = createStore({ db: database.db, clock: () => new Date(NOON), projectId: 1 });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});
afterAll(() => database.close());

const start = async (limits: CollectorOptions["limits"] = {}) => {
  service = await listen({ store, ...(limits !== undefined && { limits }) });
};
const send = (name: string) =>
  fetch(`${service.url}/v1/traces`, {
    method: "POST",
    body: jsonBody(toolSpan(name, { "mulligan.run.id": "stalled" })),
    headers: { "content-type": "application/json" },
  });

/** An upload that announces `length` bytes and sends so many of them. */
async function stall(bytes: number, length = 1_000): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  sockets.push(socket);
  await once(socket, "connect");
  const head = `POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  await new Promise((resolve) => socket.write(head + " ".repeat(bytes), resolve));
  return socket;
}

async function everything(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

describe("uploads that do not go on", () => {
  it("keep no good request from being stored, however many hang", async () => {
    await start({ maxInFlight: 2 });
    for (let i = 0; i < 40; i += 1) await stall(1);
    expect((await send("g1")).status).toBe(200);
  });

  it("are answered 503 when their time is over, and their connection ends", async () => {
    await start({ maxBodyMilliseconds: 50 });
    const answer = await everything(await stall(1));
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/retry-after: [12]\r\n/i);
    expect(answer).toContain("did not arrive whole");
  });

  it("hold no more bytes together than the limit, and give them back when they end", async () => {
    await start({ maxRequestBytes: 10_000, maxHeldBytes: 12_000, maxBodyMilliseconds: 60_000 });
    const first = await stall(9_000, 9_500);
    const second = await everything(await stall(9_000, 9_500));
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    expect(second).toContain("hold 12000 bytes already");
    expect((await send("h1")).status).toBe(200);
    first.destroy();
    await once(first, "close");
    // The end of a connection reaches the collector a moment later.
    await expect
      .poll(async () => {
        const third = await stall(9_500, 9_500);
        const [answer] = await once(third, "data");
        return String(answer).slice(0, 12);
      })
      .toBe("HTTP/1.1 400");
  });
});
