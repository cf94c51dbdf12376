/** The words of a funnel, by its kind: a recovery is no repair, and a denial no rejection. */
import type { EpisodeKind } from "../../../analytics/client/client.ts";

export const WORDS: Readonly<
  Record<EpisodeKind, { readonly opened: string; readonly resolved: string; readonly unresolved: string }>
> = {
  repair: { opened: "rejected", resolved: "Repaired", unresolved: "Not repaired" },
  recovery: { opened: "failed in execution", resolved: "Recovered", unresolved: "Not recovered" },
  denial: { opened: "denied", resolved: "Run after all", unresolved: "Not run" },
};

/** A row of the open funnel. */
export function rowLabel(row: string, resolved: string): string {
  if (row === "undecided") return "Not decided yet";
  if (row === "repaired_late") return `${resolved} late`;
  if (row.startsWith("repaired_turn_")) return repairLabel(row, resolved);
  return `Unresolved, ${row.replace(/^unresolved_/, "run ")}`;
}

const ORDINALS = ["next", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];

export function repairLabel(row: string, resolved: string): string {
  const turn = Number(row.slice("repaired_turn_".length));
  const ordinal = ORDINALS[turn - 1];
  return ordinal === undefined ? `${resolved} on turn ${turn}` : `${resolved} on the ${ordinal} turn`;
}

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
