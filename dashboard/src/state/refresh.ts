/** How often a page asks again. */
import { useParam } from "./query-string.ts";

export const REFRESHES = ["off", "5s", "10s", "30s", "1m"] as const;
export type Refresh = (typeof REFRESHES)[number];

const MILLISECONDS: Readonly<Record<Refresh, number | false>> = {
  off: false,
  "5s": 5_000,
  "10s": 10_000,
  "30s": 30_000,
  "1m": 60_000,
};

export function useRefresh(): {
  readonly refresh: Refresh;
  /** `false` where the page only asks when it is told to. */
  readonly milliseconds: number | false;
  setRefresh(refresh: Refresh): void;
} {
  const [text, set] = useParam("refresh");
  const refresh = REFRESHES.find((known) => known === text) ?? "10s";
  return {
    refresh,
    milliseconds: MILLISECONDS[refresh],
    setRefresh: (next) => set(next === "10s" ? null : next),
  };
}
