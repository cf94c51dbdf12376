/** Single keys, none of them inside a field and none with a modifier: the browser's own stay as they are. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { navigate } from "wouter/use-browser-location";
import { useHref } from "../state/link.tsx";
import { RANGES } from "../state/ranges.ts";
import { useScope } from "../state/scope.ts";

const HELP: readonly (readonly [string, string])[] = [
  ["?", "these shortcuts"],
  ["g o", "overview"],
  ["g r", "runs"],
  ["g e", "episodes"],
  ["/", "find a tool"],
  ["1 … 7", "time range: 15m, 1h, 24h, 7d, 14d, 30d, 90d"],
  ["[  ]", "the interval before, after"],
  ["r", "refresh"],
  ["j  k", "next, previous call of a run"],
  ["Esc", "close what is open"],
];

export interface ShortcutsProps {
  readonly shown: boolean;
  readonly setShown: (shown: boolean) => void;
}

export function Shortcuts({ shown, setShown }: ShortcutsProps) {
  useKeys(() => setShown(true));
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (shown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [shown]);
  return (
    <dialog ref={dialog} className="shortcuts" aria-labelledby="shortcuts-title" onClose={() => setShown(false)}>
      <h2 id="shortcuts-title">Keyboard</h2>
      <dl>
        {HELP.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => setShown(false)}>
        Close
      </button>
    </dialog>
  );
}

const PLACES: Readonly<Record<string, string>> = { o: "/", r: "/runs", e: "/episodes" };
/** How long `g` waits for its second key, in milliseconds. */
const SECOND_KEY = 1_500;

function useKeys(help: () => void): void {
  const client = useQueryClient();
  const { setTimes, shift } = useScope();
  const href = useHref();
  const begun = useRef(0);
  const press = useRef<(event: KeyboardEvent) => void>(() => {});
  press.current = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || inField(event.target)) return;
    const { key } = event;
    const place = event.timeStamp - begun.current < SECOND_KEY ? PLACES[key] : undefined;
    begun.current = key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const range = RANGES[Number(key) - 1];
    if (place !== undefined) navigate(href({ to: place }));
    else if (key === "?") help();
    else if (key === "/") document.querySelector<HTMLInputElement>("[data-shortcut='/']")?.focus();
    else if (key === "r") void client.refetchQueries({ type: "active" });
    else if (key === "[" || key === "]") shift(key === "[" ? -1 : 1);
    else if (range !== undefined && range !== "all") setTimes({ last: range });
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press.current(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

function inField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, select, textarea, dialog, [contenteditable]") !== null;
}
