/** Light, dark, or the system's. The address wins; what was chosen last is kept for the next visit. */
import { useLayoutEffect } from "react";
import { useParam } from "./query-string.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = "mulligan.theme";

export function useTheme(): { readonly theme: Theme; setTheme(theme: Theme): void } {
  const [text, set] = useParam("theme");
  const theme = themeOf(text) ?? themeOf(kept()) ?? "system";
  useLayoutEffect(() => applyTheme(theme), [theme]);
  return {
    theme,
    setTheme(next) {
      keep(next);
      set(next);
    },
  };
}

/** Puts the theme on the document; called before the first paint too. */
export function applyTheme(
  theme: Theme = themeOf(new URLSearchParams(location.search).get("theme")) ?? stored(),
): void {
  document.documentElement.dataset.theme = theme;
}

function stored(): Theme {
  return themeOf(kept()) ?? "system";
}

function themeOf(text: string | null): Theme | undefined {
  return THEMES.find((known) => known === text);
}

/** A browser may refuse its storage: the theme is then only in the address. */
function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // The address has it.
  }
}
