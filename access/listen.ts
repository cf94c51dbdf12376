/** Where the service may listen: on loopback freely, anywhere else only with both tokens. */
import { BlockList, isIP } from "node:net";
import { AccessError, checkToken } from "./tokens.ts";

export interface ListenOptions {
  /** An address or a host name. */
  readonly host: string;
  readonly ingestToken?: string | undefined;
  readonly readToken?: string | undefined;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether only this machine reaches the address. Names but `localhost` may come to mean any address. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  if (family === 0) return address.toLowerCase() === "localhost";
  return loopback.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** @throws {AccessError} where the service must not be started like this; the message says what to set. */
export function checkListen({ host, ingestToken, readToken }: ListenOptions): void {
  const tokens = [
    ["MULLIGAN_INGEST_TOKEN", ingestToken],
    ["MULLIGAN_READ_TOKEN", readToken],
  ] as const;
  for (const [variable, token] of tokens) if (token !== undefined) checkToken(token, variable);
  if (isLoopback(host)) return;
  const missing = tokens.filter(([, token]) => token === undefined).map(([variable]) => variable);
  if (missing.length === 0) return;
  throw new AccessError(
    `Listening on ${host} lets other machines in, and ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set. Set ${missing.length === 1 ? "it" : "both"} (make one with: openssl rand -hex 32), or listen on 127.0.0.1.`,
  );
}
