/** The width that an element is given, for charts whose text must not be scaled with them. */
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** CSS pixels of the element that the reference is put on; `first` until it is measured. */
export function useWidth<Box extends HTMLElement>(first: number): [RefObject<Box | null>, number] {
  const ref = useRef<Box>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box === null) return;
    const measure = () => {
      const found = Math.floor(box.getBoundingClientRect().width);
      if (found > 0) setWidth(found);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
