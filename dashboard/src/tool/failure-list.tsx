/** The failures of one sibling kind by name, what hurts most first. */
import { formatCount, formatShare, NO_EVIDENCE } from "../../../analytics/client/format.ts";
import { useFingerprints } from "../api.ts";
import { DataTable } from "../kit/data-table.tsx";
import { resolvedOf } from "../kit/funnel-stages.ts";
import { partOf } from "../kit/part.ts";
import { Answered, Loading } from "../kit/states.tsx";
import { parameterOf } from "../state/dimensions.ts";
import { Link } from "../state/link.tsx";
import { episodesOf } from "./links.ts";

/** How many names are listed; the page of the kind itself has them all. */
const MOST_NAMES = "8";

export function FailureList({ tool, kind }: { readonly tool: string; readonly kind: "recovery" | "denial" }) {
  const asked = useFingerprints({ tool: parameterOf(tool), kind, limit: MOST_NAMES });
  return (
    <Answered asked={asked} loading={<Loading lines={3} height={100} />}>
      {({ fingerprints, total }) => (
        <>
          <DataTable
            caption={`Fingerprints, ${kind}`}
            rows={fingerprints}
            rowKey={({ key }) => String(key.fingerprint)}
            columns={[
              {
                id: "name",
                title: "Fingerprint",
                header: true,
                cell: ({ key }) => {
                  const name = key.fingerprint === null ? null : String(key.fingerprint);
                  return (
                    <Link {...episodesOf(tool, { kind, fingerprint: [name] })} className="mono">
                      {name ?? "no fingerprint"}
                    </Link>
                  );
                },
              },
              {
                id: "retry",
                title: "Retry",
                cell: ({ retryabilities }) => retryabilities.join(", ").replaceAll("_", " ") || "not stated",
              },
              { id: "calls", title: "Calls", align: "end", cell: ({ failed_calls }) => formatCount(failed_calls) },
              {
                id: "resolved",
                title: "Resolved",
                note: "of settled",
                align: "end",
                cell: ({ funnel }) =>
                  funnel.settled === 0 ? NO_EVIDENCE : formatShare(partOf(resolvedOf(funnel), funnel.settled)),
              },
            ]}
          />
          {total <= fingerprints.length ? null : (
            <p className="note">
              <Link with={{ kind }}>All {formatCount(total)} fingerprints</Link>
            </p>
          )}
        </>
      )}
    </Answered>
  );
}
