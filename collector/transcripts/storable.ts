/** Which of a file's own words may be stored as they are. Everything else is kept as a keyed digest, or not at all. */
import { MOST_DIGESTS, UNDECLARED } from "@mulligan/instrumentation/internal/signature";
import type { ArgumentDigest, Signer } from "./signer.ts";

/** Names that providers allow for tools, with the separators that MCP servers and namespaces add. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_.:/-]{0,127}$/;
const ID = /^[A-Za-z0-9_.:=|/+-]{1,128}$/;
const RUN_KEY_PART = /^[A-Za-z0-9_.:=+-]{1,128}$/;
const MODEL = /^[A-Za-z0-9_.:/+-]{1,128}$/;

/** Whether a tool's name looks like one; a sentence in its place is text of the model. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name);
}

export function isModelName(name: string): boolean {
  return MODEL.test(name);
}

/** A call id as the provider wrote it, or a digest of one that is no plain id. */
export function storableId(id: string, signer: Signer): string {
  return ID.test(id) ? id : `id_${signer.digest("id", id)}`;
}

/** A part of a run's key: `@`, `~` and `/` are the importer's own separators, and anything but a plain key is digested. */
export function storableKeyPart(part: string, signer: Signer): string {
  return RUN_KEY_PART.test(part) ? part : `key_${signer.digest("key", part)}`;
}

/** A file's name as part of a key: its letters, digits and the plainest marks. */
export function storableFileName(file: string): string {
  return file.replace(/[^\p{L}\p{N}_.-]+/gu, "-").slice(-100);
}

/** `name=digest`, sorted by what is shown, at most 32; a name that nobody declared is shown as `*` (SIGNATURES.md). */
export function argumentDigestList(digests: readonly ArgumentDigest[], shown: ReadonlySet<string>): string[] {
  const shownDigests = digests.map(({ name, digest }) => `${shown.has(name) ? name : UNDECLARED}=${digest}`);
  return shownDigests.sort().slice(0, MOST_DIGESTS);
}
