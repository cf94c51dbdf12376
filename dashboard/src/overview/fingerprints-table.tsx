import type { FingerprintsAnswer } from "../../../analytics/client/client.ts";
import { formatAge, formatCount, formatCountOf, formatTime } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { RiskTag } from "../kit/tag.tsx";
import { parameterOf } from "../state/dimensions.ts";
import { Link, toolPath } from "../state/link.tsx";
import { endedColumn, hurtColumns, rateColumn } from "./hurt-columns.tsx";

type Fingerprint = FingerprintsAnswer["fingerprints"][number];

const toolOf = ({ key }: Fingerprint) => String(key.tool);
const nameOf = ({ key }: Fingerprint) => (key.fingerprint === null ? "no fingerprint" : String(key.fingerprint));

export function FingerprintsTable({ answer }: { readonly answer: FingerprintsAnswer }) {
  const { fingerprints, total, as_of } = answer;
  return (
    <>
      <DataTable
        name="fingerprints"
        caption="Fingerprints, what hurts most first"
        rows={fingerprints}
        rowKey={(row) => `${toolOf(row)} ${nameOf(row)}`}
        rowProps={(row) => ({ "data-fingerprint": nameOf(row) })}
        columns={[
          { id: "fingerprint", title: "Fingerprint", header: true, value: nameOf, cell: (row) => <Name row={row} /> },
          ...hurtColumns<Fingerprint>(),
          {
            id: "failed",
            title: "Failed calls",
            align: "end",
            value: ({ failed_calls }) => failed_calls,
            cell: ({ failed_calls }) => formatCount(failed_calls),
          },
          rateColumn<Fingerprint>("first_repair_rate"),
          rateColumn<Fingerprint>("unchanged_repeat_rate"),
          endedColumn<Fingerprint>((row) => `${nameOf(row)} of ${toolOf(row)}`),
          {
            id: "seen",
            title: "Last seen",
            value: ({ last_seen }) => last_seen,
            cell: ({ last_seen }) =>
              last_seen === null ? (
                <span className="quiet">not known</span>
              ) : (
                <span title={formatTime(last_seen)}>{formatAge(last_seen, as_of)}</span>
              ),
          },
        ]}
      />
      {total > fingerprints.length ? (
        <p className="note">
          The {formatCount(fingerprints.length)} that hurt most of {formatCountOf(total, "fingerprint")}; a tool's page
          has all of its own.
        </p>
      ) : null}
    </>
  );
}

function Name({ row }: { readonly row: Fingerprint }) {
  const filter = { tool: parameterOf(toolOf(row)), fingerprint: parameterOf(row.key.fingerprint as string | null) };
  return (
    <>
      <Link to="/episodes" with={filter} className="mono">
        {nameOf(row)}
      </Link>
      <span className="row-tags">
        <Link to={toolPath(toolOf(row))} with={{ tool: null }} className="quiet">
          {toolOf(row)}
        </Link>
        {row.risks.map((risk) => (
          <RiskTag key={risk} risk={risk} />
        ))}
      </span>
    </>
  );
}
