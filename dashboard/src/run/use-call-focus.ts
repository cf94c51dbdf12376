/** Which call the reader is at: kept in the address as `call`, moved by keys, opened with `details`. */
import { type RefObject, useEffect, useRef } from "react";
import { useEdit, useQuery } from "../state/query-string.ts";
import type { Lane, Place } from "./timeline.ts";

export interface CallFocus {
  readonly current: Place | null;
  readonly detailsOpen: boolean;
  /** Opens the details of a call; of the call that is open, closes them. */
  choose(place: Place): void;
  close(): void;
}

/**
 * @param lanes those that are drawn, in order
 * @param container what holds the calls; arrow keys work inside it, `j` and `k` on the whole page
 */
export function useCallFocus(lanes: readonly Lane[], container: RefObject<HTMLElement | null>): CallFocus {
  const query = useQuery();
  const edit = useEdit();
  const current = query.get("call");
  const detailsOpen = query.get("details") !== null;
  const move = useRef<(event: KeyboardEvent) => void>(() => {});

  const close = () => edit((params) => params.delete("details"));
  const choose = (place: Place) => {
    const closes = detailsOpen && place === current;
    edit(
      (params) => {
        params.set("call", place);
        if (closes) params.delete("details");
        else params.set("details", "open");
      },
      { replace: detailsOpen && !closes },
    );
  };
  move.current = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || inField(event.target)) return;
    if (event.key === "Escape" && detailsOpen) {
      close();
      focusCall(container.current, current);
      return;
    }
    const at = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-call]") : null;
    const next = moved(lanes, at?.dataset.call ?? current, event.key, at !== null);
    if (next === null) return;
    event.preventDefault();
    edit((params) => params.set("call", next), { replace: true });
    focusCall(container.current, next);
  };
  useEffect(() => {
    const listener = (event: KeyboardEvent) => move.current(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);

  // Whoever comes by a link to a call begins there; later changes of the address are the reader's own steps.
  const arrived = useRef(false);
  useEffect(() => {
    if (arrived.current || lanes.length === 0) return;
    // After the shell has moved the focus to the new page.
    const frame = requestAnimationFrame(() => {
      arrived.current = true;
      focusCall(container.current, current, "center");
    });
    return () => cancelAnimationFrame(frame);
  }, [lanes.length, container, current]);
  return { current, detailsOpen, choose, close };
}

function focusCall(container: HTMLElement | null, place: Place | null, block: ScrollLogicalPosition = "nearest"): void {
  if (container === null || place === null) return;
  const call = [...container.querySelectorAll<HTMLElement>("[data-call]")].find(
    ({ dataset }) => dataset.call === place,
  );
  call?.focus({ preventScroll: true });
  call?.scrollIntoView({ block });
}

/** `j` and `k` follow the order of calls; up and down go to the lane above and below, left and right stay in the lane. */
function moved(lanes: readonly Lane[], current: Place | null, key: string, onCall: boolean): Place | null {
  const rows = lanes.map(({ calls }) => calls.map(({ place }) => place)).filter((row) => row.length > 0);
  const all = rows.flat();
  const at = current === null ? -1 : all.indexOf(current);
  if (key === "j" || (key === "k" && at > 0)) return all[Math.min(all.length - 1, at + (key === "j" ? 1 : -1))] ?? null;
  if (!onCall || at === -1) return null;
  const row = rows.findIndex((places) => places.includes(current!));
  const column = rows[row]!.indexOf(current!);
  const to = (line: readonly Place[] | undefined, place: number) => line?.[Math.min(place, line.length - 1)] ?? null;
  switch (key) {
    case "ArrowDown":
      return to(rows[row + 1], column);
    case "ArrowUp":
      return to(rows[row - 1], column);
    case "ArrowRight":
      return rows[row]![column + 1] ?? null;
    case "ArrowLeft":
      return rows[row]![column - 1] ?? null;
    case "Home":
      return all[0] ?? null;
    case "End":
      return all.at(-1) ?? null;
    default:
      return null;
  }
}

function inField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, select, textarea, dialog, [contenteditable]") !== null;
}
