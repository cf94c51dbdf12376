/** What every page stands in: the way around, the scope, how fresh the figures are. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "../state/link.tsx";
import type { Route } from "../state/route.ts";
import { useTheme } from "../state/theme.ts";
import { Freshness } from "./freshness.tsx";
import { ScopeBar } from "./scope-bar.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { ThemeChoice } from "./theme-choice.tsx";
import { ToolSearch } from "./tool-search.tsx";
import "./shell.css";

const PLACES = [
  { to: "/", title: "Overview", pages: ["overview", "tool"] },
  { to: "/runs", title: "Runs", pages: ["runs", "run"] },
  { to: "/episodes", title: "Episodes", pages: ["episodes"] },
] as const;

export function Shell({ route, children }: { readonly route: Route; readonly children: ReactNode }) {
  useTheme();
  const main = useRef<HTMLElement>(null);
  const [shortcuts, setShortcuts] = useState(false);
  const place = "tool" in route ? `tool ${route.tool}` : "id" in route ? `run ${route.id}` : route.page;
  const shown = useRef(place);
  // A new page begins at its top and is where the keyboard goes on, as after a load.
  useEffect(() => {
    if (shown.current === place) return;
    shown.current = place;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [place]);
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the figures
      </a>
      <header className="shell-head">
        <Link to="/" className="wordmark">
          Mulligan
        </Link>
        <nav aria-label="Pages">
          {PLACES.map(({ to, title, pages }) => (
            <Link
              key={to}
              to={to}
              {...((pages as readonly string[]).includes(route.page)
                ? { "aria-current": to === "/" && route.page === "tool" ? "true" : "page" }
                : {})}
            >
              {title}
            </Link>
          ))}
        </nav>
        <ToolSearch />
        <ThemeChoice />
        <button
          type="button"
          className="quiet-button"
          onClick={() => setShortcuts(true)}
          aria-label="Keyboard shortcuts"
        >
          ?
        </button>
      </header>
      <ScopeBar whole={route.page === "run"} />
      <main id="main" ref={main} tabIndex={-1}>
        <Freshness />
        {children}
      </main>
      <Shortcuts shown={shortcuts} setShown={setShortcuts} />
    </>
  );
}
