/** Shows a figure as a table; the address remembers it. */
import { useListed } from "../state/query-string.ts";

export function TableToggle({ name, title }: { readonly name: string; readonly title: string }) {
  const [asTable, toggle] = useListed("table", name);
  return (
    <button
      type="button"
      className="quiet-button"
      aria-pressed={asTable}
      aria-label={`${title} as table`}
      onClick={toggle}
    >
      as table
    </button>
  );
}

/** Whether the figure of this name is shown as a table. */
export function useAsTable(name: string): boolean {
  return useListed("table", name)[0];
}
