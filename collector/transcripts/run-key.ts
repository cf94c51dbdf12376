/** The key that a file gives its own run. */

import type { Signer } from "./signer.ts";
import { storableKeyPart } from "./storable.ts";

/** Fields that name a run, the first that is there wins. A conversation holds many runs and names none. */
const KEYS = ["task_id", "run_id", "id"] as const;

/**
 * `task_id/trial` as τ-bench numbers its runs, else `run_id` or `id`; null where the object has none of them.
 * @param text the object's JSON: numbers beyond double precision are read from it, digit by digit
 */
export function readRunKey(json: Record<string, unknown>, text: string, signer: Signer): string | null {
  const fields = needsExactNumbers(json) ? withExactNumbers(text) : json;
  const key = KEYS.find((name) => isKey(fields[name]));
  if (key === undefined) return null;
  const parts = [fields[key], ...(isKey(fields.trial) ? [fields.trial] : [])];
  return parts.map((part) => storableKeyPart(String(part), signer)).join("/");
}

function isKey(value: unknown): value is string | number {
  return (typeof value === "string" && value !== "") || (typeof value === "number" && Number.isFinite(value));
}

function needsExactNumbers(json: Record<string, unknown>): boolean {
  return [...KEYS, "trial"].some((name) => typeof json[name] === "number" && !Number.isSafeInteger(json[name]));
}

type SourceReviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/** The object with its top-level key fields as they are written. */
function withExactNumbers(text: string): Record<string, unknown> {
  const names = new Set<string>([...KEYS, "trial"]);
  const revive: SourceReviver = (key, value, { source }) =>
    typeof value === "number" && names.has(key) && !Number.isSafeInteger(value) ? source : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Record<string, unknown>;
}
