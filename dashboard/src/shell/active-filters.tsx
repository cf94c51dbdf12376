/** What the scope is narrowed by, each to be taken out. */
import { riskWords } from "../kit/words.ts";
import { DIMENSION_WORDS, DIMENSIONS, valueWords } from "../state/dimensions.ts";
import { useScope } from "../state/scope.ts";

export function ActiveFilters() {
  const { filters, setFilter, clearFilters, kind, setKind } = useScope();
  const active = DIMENSIONS.flatMap((dimension) => (filters[dimension] ?? []).map((value) => ({ dimension, value })));
  if (active.length === 0 && kind === "repair") return null;
  return (
    <ul className="active-filters" aria-label="Narrowed by">
      {kind === "repair" ? null : (
        <li>
          <Chip text={`Episodes: ${kind}`} remove={() => setKind("repair")} />
        </li>
      )}
      {active.map(({ dimension, value }) => (
        <li key={`${dimension}=${value}`}>
          <Chip
            text={`${DIMENSION_WORDS[dimension]}: ${dimension === "risk" ? riskWords(value) : valueWords(value)}`}
            remove={() =>
              setFilter(
                dimension,
                (filters[dimension] ?? []).filter((other) => other !== value),
              )
            }
          />
        </li>
      ))}
      {active.length < 2 ? null : (
        <li>
          <button type="button" className="quiet-button" onClick={clearFilters}>
            take all out
          </button>
        </li>
      )}
    </ul>
  );
}

function Chip({ text, remove }: { readonly text: string; readonly remove: () => void }) {
  return (
    <button type="button" className="chip" onClick={remove} aria-label={`Take out ${text}`}>
      {text} <span aria-hidden="true">×</span>
    </button>
  );
}
