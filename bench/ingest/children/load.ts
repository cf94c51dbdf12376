/** The applications' side: makes export requests with the real SDK and exporter, keeps them, and sends them over HTTP. */
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as breathe } from "node:timers/promises";
import { mulliganSpanProcessor } from "@mulligan/instrumentation/processor";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { answerCommands, type Commands } from "../child.ts";
import { runAgents } from "../traffic.ts";

const SPANS_PER_REQUEST = 512;
/** A turn of the traffic has at least its own span; most have a call. */
const LEAST_SPANS_PER_TURN = 1.8;
/** No request goes out because time has passed: all of them are full. */
const NEVER_MS = 2 ** 31 - 1;
const bodies: Buffer[] = [];

/** Keeps what the exporter sends instead of storing it. */
async function openSink() {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
}

/** Makes so many requests of 512 spans; the last runs stay unfinished. */
async function make({ requests }: { readonly requests: number }): Promise<{ spans: number; bytes: number }> {
  const { server, url } = await openSink();
  const exporter = new OTLPTraceExporter({ url });
  const processor = mulliganSpanProcessor({ exporter, batchSize: SPANS_PER_REQUEST, delayMs: NEVER_MS });
  const sdk = new NodeSDK({ serviceName: "travel-agents", spanProcessors: [processor], instrumentations: [] });
  sdk.start();
  await runAgents({
    until: Date.now() - 60_000,
    turns: Math.ceil((requests * SPANS_PER_REQUEST) / LEAST_SPANS_PER_TURN),
    async afterTurn() {
      while (processor.counts.waiting >= 8 * SPANS_PER_REQUEST) await breathe();
      return bodies.length < requests;
    },
  });
  while (processor.counts.waiting >= SPANS_PER_REQUEST) await breathe();
  const { dropped, failed } = processor.counts;
  await sdk.shutdown();
  server.closeAllConnections();
  server.close();
  if (dropped + failed > 0 || bodies.length < requests) {
    throw new Error(`${requests} requests were to be made: ${bodies.length} were, ${dropped + failed} spans were lost`);
  }
  // Spans that made no full request came last of all.
  bodies.length = requests;
  return { spans: requests * SPANS_PER_REQUEST, bytes: bodies.reduce((sum, body) => sum + body.length, 0) };
}

/** Sends every request once; each connection sends its next one when the last one was answered. */
async function send({ url, connections }: { readonly url: string; readonly connections: number }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  const connection = async (): Promise<void> => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await post(agent, url, body);
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const milliseconds = performance.now() - begun;
  agent.destroy();
  return { milliseconds };
}

async function post(agent: Agent, url: string, body: Buffer): Promise<void> {
  const headers = { "content-type": "application/x-protobuf", "content-length": body.length };
  const outgoing = request(url, { method: "POST", agent, headers });
  outgoing.end(body);
  const [response] = await once(outgoing, "response");
  let answer = 0;
  for await (const chunk of response) answer += (chunk as Buffer).length;
  // An empty message is all that a collector answers that took everything without remark.
  if (response.statusCode !== 200 || answer > 0) {
    throw new Error(`the collector answered ${response.statusCode} with ${answer} bytes, 200 with none was expected`);
  }
}

const commands = { make, send } satisfies Commands;
/** @public the type of this script's commands */
export type LoadCommands = typeof commands;
answerCommands(commands);
