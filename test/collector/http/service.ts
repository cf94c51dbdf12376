/** The collector behind real HTTP, on a free port. */

import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type CollectorOptions, collectorApp } from "../../../collector/http/app.ts";

export interface Service {
  readonly url: string;
  close(): Promise<void>;
}

export async function listen(options: CollectorOptions): Promise<Service> {
  const server = createAdaptorServer({ fetch: collectorApp(options).fetch }) as Server;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
