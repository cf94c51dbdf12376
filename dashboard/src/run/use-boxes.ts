/** Where the calls stand on the screen, measured again whenever their container changes its size. */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { Box } from "./routes.ts";

export interface Measured {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  /** Left edge and width of the room for arrows. */
  readonly gutter: { readonly left: number; readonly width: number };
}

const NOTHING: Measured = { width: 0, height: 0, boxes: [], gutter: { left: 0, width: 0 } };

/**
 * Rectangles of every `[data-call]` in the container, and of its first `[data-gutter]`.
 *
 * @param shown changes when other calls are drawn
 */
export function useBoxes<Container extends HTMLElement>(shown: unknown): [RefObject<Container | null>, Measured] {
  const ref = useRef<Container>(null);
  const [measured, setMeasured] = useState(NOTHING);
  const measure = useCallback(() => {
    if (ref.current === null) return;
    const next = measuredIn(ref.current);
    setMeasured((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` is what the rectangles depend on
  useLayoutEffect(measure, [measure, shown]);
  useLayoutEffect(() => {
    const container = ref.current;
    if (container === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(container);
    return () => observer.disconnect();
  }, [measure]);
  return [ref, measured];
}

function measuredIn(container: HTMLElement): Measured {
  const corner = container.getBoundingClientRect();
  const gutter = container.querySelector("[data-gutter]")?.getBoundingClientRect();
  return {
    width: rounded(corner.width),
    height: rounded(corner.height),
    gutter:
      gutter === undefined
        ? NOTHING.gutter
        : { left: rounded(gutter.left - corner.left), width: rounded(gutter.width) },
    boxes: [...container.querySelectorAll<HTMLElement>("[data-call]")].map((call) => {
      const { left, top, width, height } = call.getBoundingClientRect();
      return {
        place: call.dataset.call!,
        left: rounded(left - corner.left),
        top: rounded(top - corner.top),
        width: rounded(width),
        height: rounded(height),
      };
    }),
  };
}

function rounded(pixels: number): number {
  return Math.round(pixels * 2) / 2;
}
