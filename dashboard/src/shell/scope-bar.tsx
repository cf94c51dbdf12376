/** Times and filters: what every figure under it is about. */
import { useValues } from "../api.ts";
import { REFRESHES, type Refresh, useRefresh } from "../state/refresh.ts";
import { ActiveFilters } from "./active-filters.tsx";
import { FilterMenu } from "./filter-menu.tsx";
import { RangeChoice } from "./range-choice.tsx";

/** What most questions narrow by; the others are set by links and shown as chips. */
const OFFERED = ["tool", "model", "environment", "agent", "risk", "schema_version", "template_version"] as const;

/** `whole`: the page is about one run, which no scope narrows; only refreshing is offered. */
export function ScopeBar({ whole = false }: { readonly whole?: boolean }) {
  const values = useValues().data;
  return (
    <section className="scope-bar" aria-label="Scope">
      {whole ? null : (
        <>
          <RangeChoice />
          <div className="filters">
            {OFFERED.map((dimension) => (
              <FilterMenu key={dimension} dimension={dimension} known={values?.dimensions[dimension]} />
            ))}
          </div>
        </>
      )}
      <RefreshChoice />
      {whole ? null : <ActiveFilters />}
    </section>
  );
}

function RefreshChoice() {
  const { refresh, setRefresh } = useRefresh();
  return (
    <label className="choice refresh-choice">
      Refresh
      <select name="refresh" value={refresh} onChange={(event) => setRefresh(event.target.value as Refresh)}>
        {REFRESHES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
