/** A menu closes on Escape, and when something else is used. */
import { type RefObject, useEffect } from "react";

export function useDismiss(menu: RefObject<HTMLDetailsElement | null>): void {
  useEffect(() => {
    function elsewhere(event: Event) {
      const { current } = menu;
      if (current?.open && event.target instanceof Node && !current.contains(event.target)) current.open = false;
    }
    function byKey(event: KeyboardEvent) {
      const { current } = menu;
      if (event.key !== "Escape" || !current?.open) return;
      current.open = false;
      if (current.contains(document.activeElement)) current.querySelector("summary")?.focus();
    }
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    document.addEventListener("keydown", byKey);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("focusin", elsewhere);
      document.removeEventListener("keydown", byKey);
    };
  }, [menu]);
}
