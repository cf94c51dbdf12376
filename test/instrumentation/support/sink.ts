import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SentSpan {
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** A collector of OTLP/JSON that keeps what it is sent. */
export async function openSink(status = 200) {
  const spans: SentSpan[] = [];
  const requests: { url: string | undefined; authorization: string | undefined; spans: number }[] = [];
  const resources: { key: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { resource: { attributes: { key: string }[] }; scopeSpans: { spans: SentSpan[] }[] }[];
    };
    const sent = resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans));
    requests.push({ url: request.url, authorization: request.headers.authorization, spans: sent.length });
    if (status === 200) spans.push(...sent);
    resources.push(...resourceSpans.flatMap(({ resource }) => resource.attributes));
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url, spans, requests, resources, close };
}
