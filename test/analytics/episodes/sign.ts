import {
  argumentDigests,
  canonicalArguments,
  SigningKey,
  signature,
} from "@mulligan/instrumentation/internal/signature";

const KEY = "a key for vectors only, not secret";

export interface Signed {
  readonly keyId: string;
  readonly signature: string;
  readonly argumentDigests: readonly string[] | null;
}

/** Signs arguments as the instrumentation does; every name counts as declared. */
export function sign(tool: string, raw: string, secret: string = KEY): Signed {
  const key = new SigningKey(secret);
  const args = canonicalArguments(raw);
  return {
    keyId: key.id,
    signature: signature(key, tool, args),
    argumentDigests: argumentDigests(key, args, () => true) ?? null,
  };
}
