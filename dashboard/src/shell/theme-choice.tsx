import { THEMES, type Theme, useTheme } from "../state/theme.ts";

export function ThemeChoice() {
  const { theme, setTheme } = useTheme();
  return (
    <label className="choice">
      <span className="visually-hidden">Theme</span>
      <select name="theme" value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
