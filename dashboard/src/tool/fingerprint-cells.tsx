/** Cells of the table of fingerprints that lead to their episodes. */
import { Fragment } from "react";
import type { FingerprintRow } from "../../../analytics/client/client.ts";
import { formatCount } from "../../../analytics/client/format.ts";
import { Link } from "../state/link.tsx";
import { isTextCategory, partsOf } from "./fingerprint-parts.ts";
import { episodesOf } from "./links.ts";

export function FingerprintName(props: { readonly tool: string; readonly kind: string; readonly row: FingerprintRow }) {
  const { tool, kind, row } = props;
  const fingerprint = typeof row.key.fingerprint === "string" ? row.key.fingerprint : null;
  const parts = fingerprint === null ? null : partsOf(fingerprint);
  return (
    <div className="tool-fingerprint">
      <Link {...episodesOf(tool, { kind, fingerprint: [fingerprint] })} className="mono">
        {fingerprint === null ? "no fingerprint" : <Breakable text={fingerprint} />}
      </Link>
      <span className="note">
        {row.failure_classes.join(", ")}
        {row.rungs.length === 0 ? null : ` · rung ${row.rungs.map(formatCount).join(", ")}`}
        {row.retryabilities.length === 0 ? null : ` · retry ${row.retryabilities.map(words).join(", ")}`}
        {parts !== null && isTextCategory(parts.category) ? " · named by the text of its error" : null}
      </span>
    </div>
  );
}

/** A long name breaks behind its colons and dots, not within a word. */
function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=[:.])/).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in their order
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {piece}
    </Fragment>
  ));
}

const words = (name: string): string => name.replaceAll("_", " ");

export function FingerprintEpisodes(props: {
  readonly tool: string;
  readonly kind: string;
  readonly row: FingerprintRow;
}) {
  const { tool, kind, row } = props;
  const fingerprint = row.key.fingerprint === null ? null : String(row.key.fingerprint);
  const { opened, pending } = row.funnel;
  return (
    <>
      <Link {...episodesOf(tool, { kind, fingerprint: [fingerprint] })}>{formatCount(opened)}</Link>
      {pending === 0 ? null : (
        <>
          <br />
          <Link {...episodesOf(tool, { kind, fingerprint: [fingerprint], state: "pending" })} className="rate-pending">
            {formatCount(pending)} pending
          </Link>
        </>
      )}
    </>
  );
}
