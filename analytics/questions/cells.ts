/** The finest parts that an answer is folded from: rows of the database, one for each combination of what it looks at. */
import { type RawBuilder, sql } from "kysely";
import type { Grain } from "./interval.ts";
import { filtered, LABELS } from "./relation.ts";
import { rolledCalls } from "./rolled-calls.ts";
import { type Dimension, type GroupBy, MOST_LABELS, OTHER, type Scope } from "./scope.ts";
import type { Snapshot } from "./snapshot.ts";

/** Values of grouped dimensions, in order. */
export type Key = readonly (string | null)[];

/** A dimension or a time; minutes are for timelines alone. */
export type DividedBy = GroupBy | "minute";
const TIMES = ["day", "hour", "minute"] as const satisfies readonly DividedBy[];
type Time = (typeof TIMES)[number];

/** What cells are divided by. */
export interface Division {
  readonly groupBy: readonly DividedBy[];
  readonly grain: Grain;
  /** The most frequent labels of the dimensions that have more than are answered. */
  readonly bounds: ReadonlyMap<Dimension, readonly string[]>;
  /** Whether by risk class and tool too, and with what became of episodes; a timeline needs none of it. */
  readonly finer: boolean;
}

export interface Cell {
  readonly key: Key;
  /** False for runs from files without times, which charts over time leave out. */
  readonly timed: boolean;
  /** Null where the division is not finer. */
  readonly risk: string | null;
  readonly tool: string | null;
}

/** Divides by what the question groups by, with every label. */
export function divisionOf(groupBy: readonly GroupBy[]): Division {
  const grain = groupBy.includes("hour") ? "hour" : groupBy.includes("day") ? "day" : "whole";
  return { groupBy, grain, bounds: new Map(), finer: true };
}

/** Whether it divides over time, which leaves out runs from files without times. */
export function overTime(groupBy: readonly DividedBy[]): boolean {
  return TIMES.some((time) => groupBy.includes(time));
}

const isDimension = (by: DividedBy): by is Dimension => !(TIMES as readonly string[]).includes(by);

/** Finds which dimensions have too many labels; a question then answers the rest as one, `_other`. */
export async function boundsOf(at: Snapshot, groupBy: readonly GroupBy[]): Promise<Division["bounds"]> {
  const { db, scope } = at;
  const bounds = new Map<Dimension, readonly string[]>();
  const dimensions = groupBy.filter(isDimension);
  if (dimensions.length === 0) return bounds;
  const counts = dimensions.map(
    (dimension) => sql`count(distinct ${LABELS[dimension]})::float8 as ${sql.ref(dimension)}`,
  );
  const { rows } = await sql<Record<string, number>>`
    -- one row
    select ${sql.join(counts)} from cohort as k where k.project_id = ${scope.projectId} and ${filtered(scope, { narrowing: true })}
  `.execute(db);
  for (const dimension of dimensions.filter((candidate) => rows[0]![candidate]! > MOST_LABELS)) {
    const most = await sql<{ label: string }>`
      -- one row per label, the most frequent first
      select ${LABELS[dimension]} as label
      from ${rolledCalls(at, scope, "whole")} as c
      join cohort as k on k.project_id = ${scope.projectId} and k.cohort_id = c.cohort_id
      where ${filtered(scope, { narrowing: true })} and ${LABELS[dimension]} is not null
      group by 1
      having sum(c.calls) > 0
      order by sum(c.calls) desc, 1
      limit ${MOST_LABELS + 1}
    `.execute(db);
    if (most.rows.length > MOST_LABELS) {
      bounds.set(
        dimension,
        most.rows.slice(0, MOST_LABELS).map(({ label }) => label),
      );
    }
  }
  return bounds;
}

interface Column {
  readonly name: string;
  readonly value: RawBuilder<unknown>;
}

/** The columns by which cells are divided, of rows `c` joined with their cohort `k`. */
function dividing({ groupBy, bounds, grain, finer }: Division): Column[] {
  return [
    ...(grain === "whole" ? [] : [{ name: "at", value: sql`c.at` }]),
    ...groupBy.flatMap((by, index) => (isDimension(by) ? [{ name: `g${index}`, value: labelOf(by, bounds) }] : [])),
    { name: "timed", value: sql`k.timed` },
    ...(finer
      ? [
          { name: "risk", value: sql`k.risk` },
          { name: "tool", value: LABELS.tool },
        ]
      : []),
  ];
}

function labelOf(by: Dimension, bounds: Division["bounds"]): RawBuilder<string | null> {
  const most = bounds.get(by);
  if (most === undefined) return LABELS[by];
  return sql`case when ${LABELS[by]} is null or ${LABELS[by]} = any(${most}::text[]) then ${LABELS[by]} else ${OTHER} end`;
}

/** A row of the database by the names of `dividing`. */
export type CellRow = Readonly<Record<string, unknown>> & { readonly at?: Date; readonly timed: boolean };

/** The place of a row. */
export function cellOf(row: CellRow, { groupBy, finer }: Division): Cell {
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value));
  return {
    key: groupBy.map((by, index) => (isDimension(by) ? text(row[`g${index}`]) : timeLabel(row.at!, by as Time))),
    timed: row.timed,
    risk: finer ? text(row.risk) : null,
    tool: finer ? text(row.tool) : null,
  };
}

function timeLabel(at: Date, by: Time): string {
  const iso = at.toISOString();
  if (by === "day") return iso.slice(0, 10);
  return by === "hour" ? `${iso.slice(0, 13)}:00:00Z` : `${iso.slice(0, 16)}:00Z`;
}

/** The key by fewer dimensions: those that `kept` says yes to. */
export function keyBy(key: Key, kept: readonly boolean[]): Key {
  return key.filter((_, index) => kept[index]);
}

/** The filter on tools lets through several tools; a run's first call to any of them is then no counter of one cohort. */
export async function asksSeveralTools({ db, scope }: Snapshot): Promise<boolean> {
  if (scope.filters.tool === undefined) return false;
  const { rows } = await sql`
    -- one row per tool, two at most
    select distinct ${LABELS.tool} from cohort as k
    where k.project_id = ${scope.projectId} and ${filtered({ ...scope, filters: { tool: scope.filters.tool } }, { narrowing: false })}
    limit 2
  `.execute(db);
  return rows.length > 1;
}

/** One statement that divides rows `c` with their cohorts `k` and sums them. */
export function summed({
  scope,
  from,
  division,
  also,
  sums,
  where,
}: {
  readonly scope: Scope;
  readonly from: RawBuilder<unknown>;
  readonly division: Division;
  /** Further dividing columns. */
  readonly also: readonly Column[];
  readonly sums: readonly Column[];
  readonly where: RawBuilder<boolean>;
}): RawBuilder<CellRow> {
  const keys = [...dividing(division), ...also];
  return sql<CellRow>`
    -- one row per combination of the dividing columns
    select ${sql.join([...keys, ...sums].map(({ name, value }) => sql`${value} as ${sql.ref(name)}`))}
    from ${from} as c
    join cohort as k on k.project_id = ${scope.projectId} and k.cohort_id = c.cohort_id
    where ${where}
    group by ${sql.join(keys.map((_, index) => sql.lit(index + 1)))}
  `;
}
