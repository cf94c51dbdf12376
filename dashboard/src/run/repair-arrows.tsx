/** Arrows from each failed call to its attempts. Kind is a shape, evidence a dash, success a head; the calls' texts say the same. */
import { formatCount } from "../../../analytics/client/format.ts";
import { EVIDENCE_WORDS, KIND_WORDS } from "./call-words.ts";
import { type Route, routesOf } from "./routes.ts";
import type { Kind, Place, RepairLink } from "./timeline.ts";
import type { Measured } from "./use-boxes.ts";

export interface RepairArrowsProps {
  readonly links: readonly RepairLink[];
  readonly tracks: number;
  readonly measured: Measured;
  /** Arrows of this call stand out. */
  readonly current: Place | null;
}

export function RepairArrows({ links, tracks, measured, current }: RepairArrowsProps) {
  const { width, height, boxes, gutter } = measured;
  const routes = routesOf(links, boxes, { ...gutter, tracks });
  const isCurrent = ({ link }: Route) => link.from === current || link.to === current;
  return (
    <svg className="arrows" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {routes
        .toSorted((a, b) => Number(isCurrent(a)) - Number(isCurrent(b)))
        .map((route) => (
          <Arrow
            key={`${route.link.kind} ${route.link.from} ${route.link.to}`}
            route={route}
            current={isCurrent(route)}
          />
        ))}
    </svg>
  );
}

function Arrow({
  route: { link, path, start, end, heading },
  current,
}: {
  readonly route: Route;
  readonly current: boolean;
}) {
  const { from, to, kind, evidence, attempt, resolves, unchanged } = link;
  return (
    <g
      className={`arrow arrow-${kind}${current ? " is-current" : ""}`}
      data-from={from}
      data-to={to}
      data-kind={kind}
      data-evidence={evidence}
      data-attempt={attempt}
      data-resolves={resolves}
      data-unchanged={String(unchanged)}
    >
      <title>
        {`${KIND_WORDS[kind].attempt} ${formatCount(attempt)}: ${from} to ${to}, ${EVIDENCE_WORDS[evidence]}`}
      </title>
      <path className={`arrow-line evidence-${evidence}`} d={path} />
      <g transform={`translate(${start[0]} ${start[1]})`}>
        <StartMark kind={kind} />
      </g>
      <g transform={`translate(${end[0]} ${end[1]}) rotate(${heading === "right" ? 0 : 90})`}>
        <Head resolves={resolves} />
      </g>
    </g>
  );
}

/** Disc, square, diamond: which kind of episode. */
export function StartMark({ kind }: { readonly kind: Kind }) {
  if (kind === "repair") return <circle className="arrow-fill" r="3.5" />;
  if (kind === "recovery") return <rect className="arrow-fill" x="-3.25" y="-3.25" width="6.5" height="6.5" />;
  return <path className="arrow-fill" d="M0-4.75 4.75 0 0 4.75-4.75 0Z" />;
}

/** Filled where the attempt ended the episode well, open where it did not. The tip is at the origin. */
export function Head({ resolves }: { readonly resolves: boolean }) {
  return resolves ? (
    <path className="arrow-fill" d="M0 0-8-4.5V4.5Z" />
  ) : (
    <path className="arrow-open" d="M-6.5-4.5-.75 0-6.5 4.5" />
  );
}
