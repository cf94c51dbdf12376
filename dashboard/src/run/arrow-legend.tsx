/** What the arrows' shapes mean: only those that this run has. */
import { KIND_WORDS } from "./call-words.ts";
import { Head, StartMark } from "./repair-arrows.tsx";
import type { Kind, Timeline } from "./timeline.ts";

const KINDS: readonly Kind[] = ["repair", "recovery", "denial"];

export function ArrowLegend({ timeline: { links, calls } }: { readonly timeline: Timeline }) {
  const kinds = KINDS.filter((kind) => links.some((link) => link.kind === kind));
  const marked = calls.some(({ mark }) => mark !== null);
  if (kinds.length === 0 && !marked) return null;
  return (
    <ul className="arrow-legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <svg className={`arrow-${kind}`} width="30" height="12" viewBox="-5 -6 30 12" aria-hidden="true">
            <path className="arrow-line" d="M0 0H20" />
            <StartMark kind={kind} />
          </svg>
          failed call to its {KIND_WORDS[kind].attempt}
        </li>
      ))}
      {links.some(({ resolves }) => resolves) ? (
        <li>
          <Sample resolves />
          accepted: it ends there
        </li>
      ) : null}
      {links.some(({ resolves }) => !resolves) ? (
        <li>
          <Sample resolves={false} />
          tried, failed again
        </li>
      ) : null}
      {links.some(({ evidence }) => evidence === "order") ? (
        <li>
          <svg className="arrow-repair" width="30" height="12" viewBox="-5 -6 30 12" aria-hidden="true">
            <path className="arrow-line evidence-order" d="M-4 0H24" />
          </svg>
          linked by order alone
        </li>
      ) : null}
      {marked ? (
        <li>
          <span className="signature-mark" aria-hidden="true">
            A
          </span>
          same letter, same call: equal tool and arguments
        </li>
      ) : null}
    </ul>
  );
}

function Sample({ resolves }: { readonly resolves: boolean }) {
  return (
    <svg className="arrow-repair" width="22" height="12" viewBox="-18 -6 22 12" aria-hidden="true">
      <path className="arrow-line" d="M-16 0H-2" />
      <Head resolves={resolves} />
    </svg>
  );
}
