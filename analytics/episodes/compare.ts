import type { LinkCall } from "./types.ts";

/** Only the first so many argument digests of a call are sent, by name (SIGNATURES.md). */
const DIGEST_LIMIT = 32;

/** Digests under different keys say nothing of each other, and without a key id nobody knows the key. */
const comparable = (a: LinkCall, b: LinkCall): boolean => a.keyId !== null && a.keyId === b.keyId;

/** How many argument digests two calls share, each occurrence once. */
export function equalDigests(a: LinkCall, b: LinkCall): number {
  if (!comparable(a, b) || a.argumentDigests === null || b.argumentDigests === null) return 0;
  const left = [...b.argumentDigests];
  let equal = 0;
  for (const digest of a.argumentDigests) {
    const at = left.indexOf(digest);
    if (at < 0) continue;
    left.splice(at, 1);
    equal++;
  }
  return equal;
}

/** Whether `later` is the same call as `earlier` once more; null where nobody can tell. */
export function unchanged(earlier: LinkCall, later: LinkCall): boolean | null {
  if (!comparable(earlier, later)) return null;
  const [one, other] = [earlier.operationId, later.operationId];
  // Another durable intent is another call, whatever its arguments.
  if (one !== null && other !== null && one !== other) return false;
  if (earlier.signature === null || later.signature === null) return null;
  return earlier.signature === later.signature;
}

/**
 * Whether `attempt` changed, added or removed the very argument that `opening`'s fingerprint names; null where the
 * fingerprint names none, or the digests do not tell.
 */
export function targetedChange(opening: LinkCall, attempt: LinkCall): boolean | null {
  const name = namedArgument(opening.fingerprint);
  if (name === null || !comparable(opening, attempt)) return null;
  const before = digestsOf(opening, name);
  const after = digestsOf(attempt, name);
  if (before === null || after === null) return null;
  return before !== after;
}

/** `invalid:items[].qty:range` → `items`. The class word and the category hold no colon, a path may. */
function namedArgument(fingerprint: string | null): string | null {
  const path = fingerprint?.slice(fingerprint.indexOf(":") + 1, fingerprint.lastIndexOf(":"));
  if (path === undefined || path === "" || path === "$") return null;
  return path.split(/\.|\[\]/, 1)[0] ?? null;
}

/** The digests of one argument as one text: several undeclared arguments share the name `*`. */
function digestsOf(call: LinkCall, name: string): string | null {
  if (call.argumentDigests === null) return null;
  const own = call.argumentDigests.filter((digest) => digest.slice(0, digest.lastIndexOf("=")) === name);
  const mayBeCutOff = own.length === 0 && call.argumentDigests.length >= DIGEST_LIMIT;
  return mayBeCutOff ? null : own.sort().join();
}
