/** Failures by name, what hurts most first. */
import type { FingerprintsAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatOf } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { isLittle } from "../kit/interval-bar.tsx";
import { Empty } from "../kit/states.tsx";
import { useParam } from "../state/query-string.ts";
import { columnsOf } from "./fingerprint-columns.tsx";

/** Shown until the rest is asked for. */
const FIRST_ROWS = 15;

interface Props {
  readonly tool: string;
  readonly answer: FingerprintsAnswer;
}

export function FingerprintTable({ tool, answer }: Props) {
  const [all, setAll] = useParam("fingerprints");
  const { fingerprints, total, scope } = answer;
  if (fingerprints.length === 0) {
    return (
      <Empty title="Nothing failed in this interval">
        <p>A fingerprint appears with the first call that {MISSING[scope.kind] ?? "fails"}.</p>
      </Empty>
    );
  }
  const rows = all === "all" ? fingerprints : fingerprints.slice(0, FIRST_ROWS);
  return (
    <>
      <DataTable
        name="fingerprints"
        caption={`Fingerprints of ${tool}`}
        columns={columnsOf(tool, scope.kind)}
        rows={rows}
        rowKey={(row) => String(row.key.fingerprint)}
        rowProps={(row) => ({
          className: isLittle({ denominator: row.funnel.settled }) ? "is-little-row" : "",
          "data-fingerprint": String(row.key.fingerprint),
        })}
      />
      <p className="note">
        {formatOf({ numerator: rows.length, denominator: total })} fingerprints.{" "}
        {rows.length < fingerprints.length ? (
          <button type="button" className="link-button" onClick={() => setAll("all")}>
            Show {formatCount(fingerprints.length)}
          </button>
        ) : null}{" "}
        Quiet rows with a hollow dot have fewer than 30 settled episodes: read their interval, not their value.
      </p>
    </>
  );
}

const MISSING: Readonly<Record<string, string>> = {
  repair: "is rejected",
  recovery: "fails in execution",
  denial: "is denied",
};
