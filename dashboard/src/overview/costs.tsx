/** What the rejected calls cost beyond themselves. */
import type { Group } from "../../../analytics/client/client.ts";
import {
  formatCompact,
  formatCount,
  formatDuration,
  formatShare,
  formatTokens,
} from "../../../analytics/client/format.ts";
import { Facts } from "../kit/facts.tsx";

export function Costs({ funnel }: { readonly funnel: Group["funnel"] }) {
  const { extra_turns, usage, usage_known, handovers } = funnel;
  const { p50, p90, max } = extra_turns;
  const tokens = [usage.input_tokens, usage.output_tokens].filter((count) => count !== null);
  const total = tokens.reduce((sum, count) => sum + count, 0);
  const known = usage_known.input_tokens;
  const stated = known.denominator === 0 ? "" : `; stated by ${formatShare(known)} turns`;
  return (
    <Facts
      facts={[
        {
          name: "Extra model turns",
          value: <b data-cost="extra_model_turns">{formatCount(extra_turns.total)}</b>,
          note:
            p50 === null || p90 === null || max === null
              ? "no settled episode"
              : `per episode: median ${formatCount(p50)}, 90th percentile ${formatCount(p90)}, most ${formatCount(max)}`,
        },
        {
          name: "Attributed tokens",
          value: (
            <b data-cost="tokens" title={tokens.length === 0 ? undefined : formatCount(total)}>
              {tokens.length === 0 ? "not reported" : formatCompact(total)}
            </b>
          ),
          note: `${formatTokens(usage.input_tokens, "input")}, ${formatTokens(usage.output_tokens, "output")}${stated}`,
        },
        {
          name: "Time",
          value: <b data-cost="duration">{formatDuration(usage.duration_ms)}</b>,
          note: "of model responses and validation, handed out once",
        },
        {
          name: "Handovers",
          value: <b data-cost="handovers">{formatCount(handovers)}</b>,
          note: "unrepaired episodes whose run ended escalated or exhausted; no cost here contains a person's time",
        },
      ]}
    />
  );
}
