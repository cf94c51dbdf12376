/** What a model makes of an error text: nothing but the text itself is known to it. */
import type { Arguments } from "../tools/tool.ts";
import { type Draft, draft } from "./slips.ts";

export interface Reading {
  readonly kind: "refused" | "unavailable" | "denied";
  /** Whether the text shows what a right call looks like. */
  readonly teaches: boolean;
  /** The call that the text says to send. */
  readonly instead?: Draft;
}

const SEND = /Send (\{.*?\}) instead/;
const CALL = /Call (\w+) with the same arguments instead/;

export function read(text: string, call: Draft): Reading {
  if (/\bdenied\b/.test(text)) return { kind: "denied", teaches: text.includes("cannot succeed") };
  if (/\b503\b|timed out/.test(text)) return { kind: "unavailable", teaches: text.includes("may succeed") };
  const args = SEND.exec(text)?.[1];
  const name = CALL.exec(text)?.[1];
  const instead =
    args !== undefined
      ? draft(call.name, JSON.parse(args) as Arguments)
      : name === undefined
        ? undefined
        : { name, arguments: call.arguments };
  const teaches = instead !== undefined || text.includes("for example");
  return { kind: "refused", teaches, ...(instead !== undefined && { instead }) };
}
