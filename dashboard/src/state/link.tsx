/** Links that keep the scope: times, filters, refresh and theme travel, what belongs to one page stays there. */
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from "react";
import { navigate, usePathname } from "wouter/use-browser-location";
import { DIMENSIONS } from "./dimensions.ts";
import { searchText, useQuery } from "./query-string.ts";

/** Parameters that every page understands. */
const SHARED: readonly string[] = ["last", "from", "to", "kind", ...DIMENSIONS, "refresh", "theme"];

/** Parameters to set, in the API's form; `null` takes one out. */
export type With = Readonly<Record<string, string | readonly string[] | null>>;

export interface Target {
  /** A path such as `/tools/search`; this page where it is left out, which then keeps its own parameters too. */
  readonly to?: string;
  readonly with?: With;
}

/** The address of a target, with the scope of this page. */
export function useHref(): (target: Target) => string {
  const params = useQuery();
  const path = usePathname();
  return ({ to, with: changes = {} }) => {
    const next = new URLSearchParams(to === undefined ? params : [...params].filter(([name]) => SHARED.includes(name)));
    for (const [name, value] of Object.entries(changes)) {
      next.delete(name);
      for (const one of value === null ? [] : [value].flat()) next.append(name, one);
    }
    return (to ?? path) + searchText(next);
  };
}

export interface LinkProps extends Target, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  readonly children: ReactNode;
  /** Takes the place of this step of the history. */
  readonly replace?: boolean;
}

/** An anchor that does not reload the page; every way to open one in another tab still works. */
export function Link({ to, with: changes, replace = false, onClick, children, ...rest }: LinkProps) {
  const href = useHref()({ ...(to === undefined ? {} : { to }), ...(changes === undefined ? {} : { with: changes }) });
  function go(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || elsewhere) return;
    event.preventDefault();
    navigate(href, { replace });
  }
  return (
    <a {...rest} href={href} onClick={go}>
      {children}
    </a>
  );
}

/** `/tools/search@server`: a name may hold anything. */
export function toolPath(tool: string): string {
  return `/tools/${encodeURIComponent(tool).replaceAll("%40", "@")}`;
}

export function runPath(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}
