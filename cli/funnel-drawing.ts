/** The funnel as bars: first attempts, rejected, and the rows of settled and pending episodes. */
import { formatCount, formatCountOf, formatRate, formatShare } from "../analytics/client/format.ts";
import type { Group } from "../analytics/questions/answer.ts";
import { line } from "./group-lines.ts";
import { bar, type Terminal } from "./terminal.ts";

const LABEL = 26;
const COUNT = 8;
const GAP = "  ";
/** Bars are as long as the longest text beside them leaves room for, within these bounds. */
const SHORTEST_BAR = 6;
const LONGEST_BAR = 30;

interface Row {
  readonly label: string;
  readonly count: number;
  readonly whole: number;
  readonly text: string;
  readonly good: boolean;
}

const WHY_PENDING = "  settles when the run ends, or after an hour of silence (by default)";

/** The drawing, one string a line. */
export function drawing(group: Group, terminal: Terminal): string[] {
  const { funnel, first_attempts } = group;
  const settled = rowsOf(funnel.rows, funnel.settled);
  const open = rowsOf(funnel.open, funnel.pending);
  const longest = Math.max(0, ...[...settled, ...open].map(({ text }) => text.length));
  const room = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, terminal.width - LABEL - COUNT - longest - 2 * GAP.length));
  const draw = (row: Row) => drawn(row, room, terminal);
  const { total, rejected } = first_attempts;
  return [
    draw({ label: "first attempts", count: total, whole: total, text: "", good: true }),
    draw({ label: "  rejected", count: rejected, whole: total, text: "", good: false }),
    ...line("", formatRate(group.rates.first_attempt_failure_rate), terminal, 0, LABEL + COUNT + GAP.length),
    ...healthLines(group, terminal),
    "",
    terminal.bold(formatCountOf(funnel.settled, `settled ${funnel.kind} episode`)),
    ...settled.map(draw),
    ...nextLines(funnel.next_actions, terminal),
    ...(open.length === 0
      ? []
      : [terminal.bold(`${formatCount(funnel.pending)} pending: the open funnel so far`), terminal.dim(WHY_PENDING)]),
    ...open.map(draw),
  ];
}

function drawn({ label, count, whole, text, good }: Row, room: number, terminal: Terminal): string {
  const length = bar(count, whole, room);
  const painted = `${(good ? terminal.good : terminal.bad)(length)}${" ".repeat(room - length.length)}`;
  return `${label.padEnd(LABEL)}${formatCount(count).padStart(COUNT)}${GAP}${painted}${GAP}${text}`.trimEnd();
}

function rowsOf(rows: Group["funnel"]["rows"], whole: number): Row[] {
  return rows.map(({ row, episodes, share, extra_model_turns }) => ({
    label: `  ${rowName(row)}`,
    count: episodes,
    whole,
    text: `${formatShare(share)}${extra_model_turns === 0 ? "" : `, +${formatCountOf(extra_model_turns, "turn")}`}`,
    good: row.startsWith("repaired"),
  }));
}

const ROW_NAMES: Readonly<Record<string, string>> = {
  repaired_turn_1: "repaired next turn",
  repaired_late: "repaired late",
  unresolved_unknown: "unresolved, end unknown",
  undecided: "not decided yet",
};

/** What a person calls a row of the funnel. */
export function rowName(row: string): string {
  const turn = /^repaired_turn_(\d+)$/.exec(row)?.[1];
  const named = ROW_NAMES[row] ?? (turn === undefined ? undefined : `repaired on turn ${turn}`);
  return named ?? row.replace("_", ", ");
}

function nextLines(actions: Group["funnel"]["next_actions"], terminal: Terminal): string[] {
  const some = Object.entries(actions).filter(([, { numerator }]) => numerator > 0);
  const text = some.map(([action, share]) => `${action.replaceAll("_", " ")} ${formatShare(share)}`).join(" · ");
  return text === "" ? [] : line("  the model next", text, terminal, 0, LABEL);
}

/** What the rates above do not cover. */
function healthLines({ health, calls }: Group, terminal: Terminal): string[] {
  const { not_checked, unknown_verdict } = health;
  const texts = [
    ...(not_checked.numerator > 0 ? [`${formatShare(not_checked)} of accepted calls were checked by nothing`] : []),
    ...(unknown_verdict.numerator > 0
      ? [`${formatShare(unknown_verdict)} of calls have no known verdict and stand in no rate`]
      : []),
    ...(calls.unanswered > 0 ? [`${formatCountOf(calls.unanswered, "call has", "calls have")} no result`] : []),
  ];
  return texts.flatMap((text) => line("", text, terminal, 0, 2).map(terminal.dim));
}
