import { randomBytes } from "node:crypto";
import { signingKeyFromEnvironment } from "./environment.ts";
import { SigningKey } from "./hmac.ts";

/** Least length of a key, in bytes of UTF-8. */
export const LEAST_KEY_BYTES = 16;
const MOST_KEPT_KEYS = 32;

const HOW_TO_MAKE_ONE =
  'Make a key once with: node -p \'require("node:crypto").randomBytes(32).toString("hex")\' ' +
  "and set it as MULLIGAN_SIGNING_KEY in every process of the project.";

const kept = new Map<string, SigningKey>();
const warned = new Set<string>();
let random: SigningKey | undefined;

/**
 * The key of signatures and digests: the option, else `MULLIGAN_SIGNING_KEY`, else one random key per process.
 *
 * A missing or short key is told once with `process.emitWarning`; the host goes on either way. Digests under a random
 * key compare inside this process only.
 */
export function resolveSigningKey(option?: string): SigningKey {
  const [text, name] =
    option === undefined ? [signingKeyFromEnvironment(), "MULLIGAN_SIGNING_KEY"] : [option, "the option `key`"];
  if (typeof text === "string" && Buffer.byteLength(text, "utf8") >= LEAST_KEY_BYTES) return keep(text);
  if (text === undefined) {
    warnOnce("MULLIGAN_NO_SIGNING_KEY", `no signing key is set, so this process uses a random one. ${HOW_TO_MAKE_ONE}`);
  } else {
    warnOnce(
      "MULLIGAN_SHORT_SIGNING_KEY",
      `${name} is shorter than ${LEAST_KEY_BYTES} bytes and is refused, so this process uses a random key. ${HOW_TO_MAKE_ONE}`,
    );
  }
  random ??= new SigningKey(randomBytes(32).toString("hex"));
  return random;
}

function keep(text: string): SigningKey {
  let key = kept.get(text);
  if (!key) {
    key = new SigningKey(text);
    if (kept.size < MOST_KEPT_KEYS) kept.set(text, key);
  }
  return key;
}

function warnOnce(code: string, message: string): void {
  if (warned.has(code)) return;
  warned.add(code);
  process.emitWarning(
    `mulligan: ${message} Until then a repeated call is recognised inside this process only, not in another one.`,
    { code },
  );
}
