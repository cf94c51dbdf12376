import type { LinkCall } from "./types.ts";

/** Only the first so many argument digests of a call are sent, by name (SIGNATURES.md). */
const DIGEST_LIMIT = 32;

/** Digests under different keys say nothing of each other, and without a key id nobody knows the key. */
const comparable = (a: LinkCall, b: LinkCall): boolean => a.keyId !== null && a.keyId === b.keyId;

/**
 * What two calls share when they share an argument digest: key id, digest, and how many of the same stand before it, so
 * that each occurrence counts once. Nothing where digests cannot be compared.
 *
 * The digest holds the argument's real name (SIGNATURES.md). The name that it is shown under is `*` where the tool does
 * not declare it, and a tool that nobody offered declares none: that one is not compared.
 */
export function digestKeys({ keyId, argumentDigests }: LinkCall): string[] {
  if (keyId === null || argumentDigests === null) return [];
  const seen = new Map<string, number>();
  return argumentDigests.map((shown) => {
    const digest = shown.slice(shown.lastIndexOf("=") + 1);
    const before = seen.get(digest) ?? 0;
    seen.set(digest, before + 1);
    return `${keyId} ${before} ${digest}`;
  });
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
