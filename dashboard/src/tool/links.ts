/** Where the rows and cells of a tool's page lead: lists that are narrowed to what was clicked. */
import type { EpisodeFilter } from "../kit/funnel-stages.ts";
import { parameterOf } from "../state/dimensions.ts";
import type { With } from "../state/link.tsx";

/** A target of the list of episodes of a tool, with the page's own scope beside it. */
export function episodesOf(
  tool: string,
  filter: EpisodeFilter & {
    readonly fingerprint?: readonly (string | null)[];
    readonly kind?: string;
  } = {},
): { readonly to: string; readonly with: With } {
  const { state, row, next_action, outcome, fingerprint, kind } = filter;
  return {
    to: "/episodes",
    with: {
      tool: parameterOf(tool),
      ...(kind === undefined ? {} : { kind: kind === "repair" ? null : kind }),
      ...(fingerprint === undefined ? {} : { fingerprint: fingerprint.map(parameterOf) }),
      ...(state === undefined ? {} : { state }),
      ...(row === undefined ? {} : { row: row.join(",") }),
      ...(next_action === undefined ? {} : { next_action: next_action.join(",") }),
      ...(outcome === undefined ? {} : { outcome: outcome.join(",") }),
    },
  };
}

/** The runs whose first call to the tool lies in the interval. */
export function runsOf(tool: string): { readonly to: string; readonly with: With } {
  return { to: "/runs", with: { tool: parameterOf(tool) } };
}
