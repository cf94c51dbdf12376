/** The read token, where the service wants one: kept for this tab only. */
import { useSyncExternalStore } from "react";

const KEPT = "mulligan.read-token";
const listeners = new Set<() => void>();
let token = read();

export function useToken(): string | null {
  return useSyncExternalStore(subscribe, () => token);
}

export function setToken(next: string | null): void {
  token = next;
  try {
    if (next === null) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, next);
  } catch {
    // It lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}
