/** Everything that is recorded of one call. No content is: arguments are digests, error texts a class and a fingerprint. */
import type { ReactNode } from "react";
import { formatCount, formatDuration } from "../../../analytics/client/format.ts";
import { RiskTag, VerdictTag } from "../kit/tag.tsx";
import { parameterOf } from "../state/dimensions.ts";
import { Link, toolPath } from "../state/link.tsx";
import { Fingerprint } from "./call-chip.tsx";
import { ranAgainstSchema, storyOf, toolWords } from "./call-words.ts";
import type { PlacedCall } from "./timeline.ts";

export interface CallDetailsProps {
  readonly id: string;
  readonly placed: PlacedCall;
  readonly marked: readonly PlacedCall[];
  readonly close: () => void;
}

export function CallDetails({ id, placed, marked, close }: CallDetailsProps) {
  const { place, call, mark } = placed;
  const story = storyOf(placed, marked);
  return (
    <section id={id} className="call-details" aria-label={`Call ${place} in full`} data-details={place}>
      <header>
        <h4>
          Call {place} · {toolWords(call.tool)}
        </h4>
        <button type="button" className="quiet-button" onClick={close}>
          close <kbd>Esc</kbd>
        </button>
      </header>
      {story === "" ? null : <p>{story}</p>}
      <div className="detail-groups">
        <Facts title="What came back">
          <Fact name="Verdict">
            <VerdictTag verdict={call.verdict} />
          </Fact>
          <Fact name="Failure class">{call.failure_class ?? "none"}</Fact>
          <Fact name="Result">{call.has_result ? (call.result_state ?? "seen, state not stated") : "not seen"}</Fact>
          <Fact name="Latency">{formatDuration(call.duration_ms)}</Fact>
          <Fact name="Executions">{formatCount(call.execution_attempts)}</Fact>
          <Fact name="Started">
            <time dateTime={call.started_at}>{call.started_at}</time>
          </Fact>
        </Facts>
        <Facts title="The error text">
          <Fact name="Fingerprint">
            {call.fingerprint === null ? (
              "none"
            ) : (
              <Link to="/episodes" with={{ fingerprint: parameterOf(call.fingerprint), tool: null }}>
                <Fingerprint text={call.fingerprint} />
              </Link>
            )}
          </Fact>
          {call.fingerprints.length < 2 ? null : (
            <Fact name="All fingerprints">
              {call.fingerprints.map((fingerprint) => (
                <Fingerprint key={fingerprint} text={fingerprint} />
              ))}
            </Fact>
          )}
          <Fact name="Rung">{call.rung === null ? "not stated" : formatCount(call.rung)}</Fact>
          <Fact name="Retryability">{call.retryability?.replaceAll("_", " ") ?? "not stated"}</Fact>
          <Fact name="Template version">{call.template_version ?? "not stated"}</Fact>
        </Facts>
        <Facts title="The arguments">
          <Fact name="Checked">{call.validated === null ? "not known" : call.validated ? "yes" : "no"}</Fact>
          <Fact name="Declared schema">
            {call.schema_verdict === null
              ? "not known"
              : `${call.schema_verdict}${ranAgainstSchema(call) ? ", and ran against it" : ""}`}
          </Fact>
          <Fact name="Corrected">
            {call.corrected === null ? "not known" : call.corrected ? "before it ran" : "no"}
          </Fact>
          <Fact name="Signature">
            {call.signature === null ? "not recorded" : <span className="mono">{call.signature}</span>}
            {mark === null ? null : <span className="signature-mark">{mark}</span>}
          </Fact>
          <Fact name="Signing key">
            {call.key_id === null ? "not stated" : <span className="mono">{call.key_id}</span>}
          </Fact>
          <Fact name="Argument digests">
            {call.argument_digests === null
              ? "not recorded"
              : call.argument_digests.length === 0
                ? "no arguments"
                : call.argument_digests.map((digest) => (
                    <span key={digest} className="mono digest">
                      {digest}
                    </span>
                  ))}
          </Fact>
        </Facts>
        <Facts title="The tool">
          <Fact name="Tool">
            <Link to={toolPath(call.tool)}>{call.tool}</Link>
          </Fact>
          {call.nearest === null ? null : <Fact name="Closest declared name">{call.nearest}</Fact>}
          <Fact name="Schema version">{call.schema_version ?? "not stated"}</Fact>
          <Fact name="Risk">
            <RiskTag risk={call.risk} />
          </Fact>
          <Fact name="Proposed by">{call.origin}</Fact>
          <Fact name="Provider's call id">
            {call.call_id === null ? "not stated" : <span className="mono">{call.call_id}</span>}
          </Fact>
          <Fact name="Leg of the run">{formatCount(call.leg)}</Fact>
        </Facts>
      </div>
    </section>
  );
}

function Facts({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h5>{title}</h5>
      <dl className="call-record">{children}</dl>
    </div>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
