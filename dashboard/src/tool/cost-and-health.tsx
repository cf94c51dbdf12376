/** What the episodes cost, and how far the figures of this page can be trusted. */
import type { FunnelAnswer } from "../../../analytics/client/client.ts";
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatOf,
  formatPercent,
  formatShare,
  formatTokens,
  NO_EVIDENCE,
} from "../../../analytics/client/format.ts";
import { Section } from "../kit/page.tsx";
import { Link } from "../state/link.tsx";
import { Fact } from "./fact.tsx";
import { episodesOf } from "./links.ts";

interface Props {
  readonly tool: string;
  readonly answer: FunnelAnswer;
}

export function CostAndHealth(props: Props) {
  return (
    <div className="cost-and-health">
      <Cost {...props} />
      <Health {...props} />
    </div>
  );
}

function Cost({ tool, answer }: Props) {
  const { funnel } = answer.overall;
  const { usage, extra_turns, usage_known } = funnel;
  return (
    <Section
      title="Cost"
      note={`Of ${formatCountOf(funnel.settled, `settled ${funnel.kind} episode`)}; each turn is handed out once.`}
    >
      <dl className="tool-facts" data-panel="cost">
        <Fact name="extra_turns" label="Extra model turns">
          {formatCount(extra_turns.total)}
          <span className="note">
            {" "}
            {extra_turns.p50 === null || extra_turns.p90 === null || extra_turns.max === null
              ? NO_EVIDENCE
              : `an episode: median ${formatCount(extra_turns.p50)}, 90th percentile ${formatCount(extra_turns.p90)}, most ${formatCount(extra_turns.max)}`}
          </span>
        </Fact>
        <Fact name="distribution" label="Episodes by extra turns">
          <ul className="tool-distribution">
            {Object.entries(extra_turns.distribution).map(([turns, share]) => (
              <li key={turns}>
                <span className="quiet">{turns}</span> {formatCount(share.numerator)}
              </li>
            ))}
          </ul>
        </Fact>
        <Fact name="model_turns" label="Attributed model turns">
          {usage.model_turns === null ? "none" : formatCount(usage.model_turns)}
        </Fact>
        <Fact name="input_tokens" label="Attributed input">
          {formatTokens(usage.input_tokens, "input")}
          {usage.cached_input_tokens === null ? null : (
            <span className="note"> of them {formatTokens(usage.cached_input_tokens, "cached input")}</span>
          )}
        </Fact>
        <Fact name="output_tokens" label="Attributed output">
          {formatTokens(usage.output_tokens, "output")}
        </Fact>
        <Fact name="duration" label="Attributed time">
          {formatDuration(usage.duration_ms)}
        </Fact>
        <Fact name="usage_known" label="Turns that stated their usage">
          {formatShare(usage_known.input_tokens)} <span className="note">of the turns handed out</span>
        </Fact>
        <Fact name="handovers" label="Handed to a person">
          <Link
            {...episodesOf(tool, {
              kind: funnel.kind,
              state: "settled",
              row: ["unresolved_escalated", "unresolved_exhausted"],
            })}
          >
            {formatOf({ numerator: funnel.handovers, denominator: funnel.settled })}
          </Link>{" "}
          <span className="note">
            settled episodes: unrepaired, the run escalated or exhausted. A person's time is in no cost.
          </span>
        </Fact>
      </dl>
    </Section>
  );
}

function Health({ answer }: Props) {
  const { health, calls, inferred_turns, outcomes_known, funnel } = answer.overall;
  const unchecked = health.not_checked.value === 1;
  return (
    <Section title="Data health" note="What the rates above do not cover.">
      <dl className="tool-facts" data-panel="health">
        <Fact name="not_checked" label="Not checked">
          {formatShare(health.not_checked)}{" "}
          <span className="note">
            accepted calls whose arguments nothing validated
            {unchecked ? ": this tool has no check, its validity only says that it was run" : ""}
          </span>
        </Fact>
        <Fact name="corrected" label="Corrected">
          {formatShare(health.corrected)} <span className="note">accepted calls that the harness changed first</span>
        </Fact>
        <Fact name="ran_against_schema" label="Ran against its schema">
          {formatShare(health.ran_against_schema)} <span className="note">accepted calls that the schema refuses</span>
        </Fact>
        <Fact name="unknown_verdict" label="Verdict unknown">
          {formatShare(health.unknown_verdict)}{" "}
          <span className="note">calls, in no rate; {formatCount(calls.unanswered)} without a result</span>
        </Fact>
        <Fact name="inferred_turns" label="Turn inferred">
          {formatShare(inferred_turns)} <span className="note">calls whose model turn nobody stated</span>
        </Fact>
        <Fact name="outcomes_known" label="Outcome known">
          {formatShare(outcomes_known)} <span className="note">ended runs</span>
        </Fact>
        <Fact name="linked_by" label="Attempts linked by">
          {linkWords(funnel.linked_by)} <span className="note">order alone is the weakest evidence</span>
        </Fact>
        <Fact name="runs_waiting" label="Runs that wait">
          {formatCount(answer.runs_waiting)} <span className="note">of all tools, not linked yet and in no rate</span>
        </Fact>
      </dl>
    </Section>
  );
}

function linkWords(evidence: FunnelAnswer["overall"]["funnel"]["linked_by"]): string {
  const some = Object.entries(evidence).filter(([, { numerator }]) => numerator > 0);
  return (
    some
      .map(([name, { numerator, value }]) => `${name} ${formatCount(numerator)} (${formatPercent(value)})`)
      .join(", ") || NO_EVIDENCE
  );
}
