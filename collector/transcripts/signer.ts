/** The keyed digests that a reader takes of content before it lets go of it (SIGNATURES.md). */
import {
  argumentDigest,
  canonicalArguments,
  SigningKey,
  signature,
} from "@mulligan/instrumentation/internal/signature";

export interface ArgumentDigest {
  readonly name: string;
  /** 16 hex digits over name and value. */
  readonly digest: string;
}

export interface SignedArguments {
  /** 32 hex digits. */
  readonly signature: string;
  readonly kind: "object" | "other_json" | "no_json";
  /** One per top-level argument; null where the arguments are no object. */
  readonly digests: readonly ArgumentDigest[] | null;
}

export interface Signer {
  /** 8 hex digits: digests compare only under equal key ids. */
  readonly keyId: string;
  /** @param tool the name that the model called; @param raw the arguments as text */
  sign(tool: string, raw: string): SignedArguments;
  /** 16 hex digits: what stands for a text that may not be stored. Equal words and texts give equal digits. */
  digest(word: "tool" | "text" | "head" | "key" | "id", text: string): string;
}

const KINDS = { object: "object", value: "other_json", text: "no_json" } as const;

/** @param key the signing key's text: at least 16 bytes, the same in every import of a project */
export function createSigner(key: string): Signer {
  const signingKey = new SigningKey(key);
  return {
    keyId: signingKey.id,
    sign(tool, raw) {
      const args = canonicalArguments(raw);
      const digests = args.members
        ? [...args.members].map(([name, value]) => ({ name, digest: argumentDigest(signingKey, name, value) }))
        : null;
      return { signature: signature(signingKey, tool, args), kind: KINDS[args.form], digests };
    },
    digest: (word, text) => signingKey.digest(`${word}\0${text}`, 8),
  };
}
