/** The parts of an answer that several commands print. Repair rates are printed by one function, with what they may not lack. */
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatRate,
  formatShare,
  formatTime,
  formatTokens,
  NO_EVIDENCE,
} from "../analytics/client/format.ts";
import type { Group, Header, Measured } from "../analytics/questions/answer.ts";
import type { Share } from "../analytics/statistics/rate.ts";
import { wrapped } from "./help.ts";
import type { Terminal } from "./terminal.ts";

/** `label` and its text, the text wrapped beside it. */
export function line(label: string, text: string, { width }: Terminal, indent = 2, labelWidth = 24): string[] {
  const left = indent + labelWidth;
  const [first = "", ...rest] = wrapped(text, Math.max(width - left, 20));
  return [
    `${" ".repeat(indent)}${label.padEnd(labelWidth)}${first}`,
    ...rest.map((more) => `${" ".repeat(left)}${more}`),
  ];
}

/** What the answer covers and how it was counted. */
export function headerLines(header: Header, terminal: Terminal): string[] {
  const { scope, settings } = header;
  const interval =
    scope.from === null && scope.to === null
      ? "everything"
      : `${scope.from === null ? "the beginning" : formatTime(scope.from)} to ${scope.to === null ? "now" : formatTime(scope.to)}`;
  const filters = Object.entries(scope.filters).map(([name, values]) => `${name}=${values.map(String).join(",")}`);
  const basis = header.turn_basis === "model" ? "model turns" : "turns that called a tool";
  const waiting =
    header.runs_waiting === 0
      ? []
      : [
          `${formatCountOf(header.runs_waiting, "run waits", "runs wait")} to be linked and ${header.runs_waiting === 1 ? "is" : "are"} in no rate`,
        ];
  const parts = [
    interval,
    ...filters,
    `link window ${settings.W}, eventual window ${settings.E} ${basis}`,
    `as of ${formatTime(header.as_of)}`,
    ...waiting,
  ];
  return wrapped(parts.join(" · "), terminal.width).map(terminal.dim);
}

/** Repair rates with their terminal outcomes, wherever an answer has them. */
type RepairRates = Pick<Measured, "terminal_outcomes" | "inferred_turns"> & {
  readonly rates: Pick<
    Measured["rates"],
    "first_attempt_failure_rate" | "first_repair_rate" | "eventual_repair_rate" | "unchanged_repeat_rate"
  >;
};

/** The rest of a whole, as far as it is printed. */
interface Whole {
  readonly by_risk: readonly (Pick<RepairRates, "rates" | "terminal_outcomes"> & { readonly risk: string })[];
  readonly worst_tool: Pick<
    NonNullable<Group["worst_tool"]>,
    "first_attempt_failure_rate" | "first_repair_rate"
  > | null;
}

/** Rates that say whether an error text teaches, and what may never be left out beside them. */
export function repairLines(measured: RepairRates, E: number, terminal: Terminal): string[] {
  const { rates, terminal_outcomes, inferred_turns } = measured;
  return [
    ...line("repaired next turn", formatRate(rates.first_repair_rate), terminal),
    ...line(`repaired within ${E}`, formatRate(rates.eventual_repair_rate), terminal),
    ...line("same call next turn", formatRate(rates.unchanged_repeat_rate), terminal),
    ...line("runs ended", endings(terminal_outcomes), terminal),
    ...(inferred_turns.numerator === 0
      ? []
      : line("inferred turns", `${formatShare(inferred_turns)} of calls`, terminal)),
  ];
}

/** The rows per risk class and the worst tools, without which no rate of a whole is printed. */
export function wholeLines(whole: RepairRates & Whole, terminal: Terminal): string[] {
  const { by_risk, worst_tool } = whole;
  const [only, second] = by_risk;
  const risks =
    only !== undefined && second === undefined
      ? line("risk class", `${only.risk}, of every call`, terminal)
      : by_risk.flatMap(({ risk, rates, terminal_outcomes }) =>
          line(
            `risk ${risk}`,
            [
              `rejected ${formatShare(rates.first_attempt_failure_rate)}`,
              `repaired next turn ${formatRate(rates.first_repair_rate)}`,
              `ended: ${endings(terminal_outcomes)}`,
            ].join(" · "),
            terminal,
          ),
        );
  const worst = [
    ["worst: most rejected", worst_tool?.first_attempt_failure_rate],
    ["worst: least repaired", worst_tool?.first_repair_rate],
  ] as const;
  return [
    ...risks,
    ...worst.flatMap(([name, found]) =>
      found ? line(name, `${found.tool} · ${formatRate(found.rate)}`, terminal) : [],
    ),
  ];
}

function endings(outcomes: Measured["terminal_outcomes"]): string {
  const some = Object.entries(outcomes).filter(([, { numerator }]) => numerator > 0);
  return some.map(([outcome, rate]) => `${outcome} ${formatShare(rate)}`).join(" · ") || NO_EVIDENCE;
}

/** What became of the episodes of the asked kind: repair rates for repair, the rows of the funnel for its siblings. */
export function teachingLines(group: Group, E: number, terminal: Terminal): string[] {
  const { funnel } = group;
  if (funnel.kind === "repair") return repairLines(group, E, terminal);
  const some = (shares: readonly (readonly [string, Share])[]) =>
    shares
      .filter(([, { numerator }]) => numerator > 0)
      .map(([name, share]) => `${name} ${formatShare(share)}`)
      .join(" · ") || NO_EVIDENCE;
  return [
    ...line(
      `${funnel.kind} episodes`,
      some(funnel.rows.map(({ row, share }) => [row.replaceAll("_", " "), share])),
      terminal,
    ),
    ...line("runs ended", some(Object.entries(funnel.outcomes)), terminal),
  ];
}

/** Attributed usage of the episodes, and what it leaves unsaid. */
export function costLines(
  { extra_turns, usage, usage_known, handovers }: Group["funnel"],
  terminal: Terminal,
): string[] {
  const { p50, p90, max } = extra_turns;
  const spread = p50 === null ? "" : ` (an episode: median ${p50}, 90th percentile ${p90}, most ${max})`;
  const reported = usage_known.input_tokens;
  const known =
    reported.denominator === 0 || reported.numerator === reported.denominator
      ? ""
      : ` · usage known for ${formatShare(reported)} of shared turns`;
  return [
    ...line("extra model turns", `${formatCount(extra_turns.total)}${spread}`, terminal),
    ...line(
      "attributed usage",
      `${usage.model_turns === null ? "no model turns" : formatCountOf(usage.model_turns, "model turn")} · ${formatTokens(usage.input_tokens, "input")} · ${formatTokens(usage.output_tokens, "output")} · time ${formatDuration(usage.duration_ms)}${known}`,
      terminal,
    ),
    ...line(
      "handed to a person",
      `${formatCountOf(handovers, "episode")} (escalated or exhausted, unrepaired)`,
      terminal,
    ),
  ];
}

/** One group as a paragraph: name, calls, repair with outcomes, what it hurts. */
export function groupLines(name: string, group: Group, E: number, terminal: Terminal): string[] {
  const { first_attempts, rates, hurts, funnel, health } = group;
  const notChecked = health.not_checked.value === 1 ? " · not checked: nothing validates its arguments" : "";
  const tokens = hurts.attributed_tokens === 0 ? "" : ` · ${formatCount(hurts.attributed_tokens)} attributed tokens`;
  return [
    terminal.bold(name),
    ...line(
      "first attempts",
      `${formatCount(first_attempts.total)}, rejected ${formatRate(rates.first_attempt_failure_rate)}${notChecked}`,
      terminal,
    ),
    ...(funnel.opened === 0 && first_attempts.rejected === 0
      ? []
      : [...teachingLines(group, E, terminal), ...wholeLines(group, terminal)]),
    ...(funnel.opened === 0
      ? []
      : line(
          "hurts",
          `${formatCountOf(hurts.unrepaired_not_completed, "unrepaired episode")} in runs that did not complete${tokens} · ${formatCountOf(hurts.extra_model_turns, "extra model turn")}`,
          terminal,
        )),
  ];
}

/** `tool=search · day=2026-03-10`; a missing value is said. */
export function keyName(key: Group["key"]): string {
  const entries = Object.entries(key);
  if (entries.length === 1) return `${entries[0]![1] ?? `no ${entries[0]![0]} recorded`}`;
  return entries.map(([name, value]) => `${name}=${value ?? "not recorded"}`).join(" · ");
}
