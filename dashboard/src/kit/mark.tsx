/** Small shapes: what a colour says, a shape says too. */
import type { ReactNode } from "react";

export type Shape = "disc" | "ring" | "square" | "diamond" | "triangle" | "cross" | "bar" | "hatch";
export type Tone = "good" | "bad" | "warn" | "quiet" | "accent" | `outcome-${string}`;

const SHAPES: Readonly<Record<Shape, ReactNode>> = {
  disc: <circle cx="6" cy="6" r="4.5" />,
  ring: <circle cx="6" cy="6" r="3.75" className="mark-line" />,
  square: <rect x="1.75" y="1.75" width="8.5" height="8.5" />,
  diamond: <path d="M6 .75 11.25 6 6 11.25.75 6Z" />,
  triangle: <path d="M6 1.25 11.25 10.75H.75Z" />,
  cross: <path d="m2 2 8 8m0-8-8 8" className="mark-line" />,
  bar: <rect x="1" y="4.25" width="10" height="3.5" />,
  hatch: <path d="M1 6h2.5M5 6h2.5M9 6h2" className="mark-line" />,
};

/** Decoration: the words beside it say the same. */
export function Mark({ shape, tone }: { readonly shape: Shape; readonly tone: Tone }) {
  return (
    <svg className={`mark tone-${tone}`} width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      {SHAPES[shape]}
    </svg>
  );
}
