import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { type Bounds, filtered, groupValue, hasTimes, inTime, linked, type Relation, TOOL_LABEL } from "./relation.ts";
import type { GroupBy, Scope } from "./scope.ts";

/** A row is about a whole group, about one risk class of it, or about one tool of it. */
export type Level = "group" | "risk" | "tool";

export interface GroupedRow<Column extends string> {
  /** Values of the grouped dimensions, in the scope's order. */
  readonly key: readonly (string | null)[];
  readonly level: Level;
  /** The risk class or tool of the level; null for a whole group. */
  readonly of: string | null;
  /** Values of the further grouping columns, such as `kind`. */
  readonly also: readonly (string | null)[];
  readonly counts: Readonly<Record<Column, number>>;
}

export interface Grouping<Column extends string> {
  readonly relation: Relation;
  readonly groupBy: readonly GroupBy[];
  readonly bounds: Bounds;
  /** Whether filters that only failed calls have are applied. */
  readonly narrowing: boolean;
  readonly levels: readonly Level[];
  /** Further grouping columns of the relation, in every level. */
  readonly also?: readonly RawBuilder<string | null>[];
  /** Further conditions on the rows. */
  readonly where?: RawBuilder<boolean>;
  /** What is counted. Aggregates that may be null are `coalesce`d by their author. */
  readonly aggregates: Readonly<Record<Column, RawBuilder<unknown>>>;
}

/**
 * Counts the rows of a relation by group and, in the same pass, by risk class and by tool of each group: distinct runs
 * cannot be summed up from finer rows.
 */
export async function grouped<Column extends string>(
  db: Kysely<Database>,
  scope: Scope,
  { relation, groupBy, bounds, narrowing, levels, also = [], where, aggregates }: Grouping<Column>,
): Promise<GroupedRow<Column>[]> {
  const keys = groupBy.map((by, index) => ({ name: `g${index}`, value: groupValue(by, relation.time, bounds) }));
  const extra = also.map((value, index) => ({ name: `also${index}`, value }));
  // A level that the group already fixes would repeat its grouping set under another name.
  const finer = [
    ...(levels.includes("risk") && !groupBy.includes("risk") ? [{ name: "by_risk", value: sql`c.risk` }] : []),
    ...(levels.includes("tool") && !groupBy.includes("tool") ? [{ name: "by_tool", value: TOOL_LABEL }] : []),
  ];
  const common = [...keys, ...extra].map(({ name }) => sql.ref(name));
  const sets = [common, ...finer.map(({ name }) => [...common, sql.ref(name)])].map((set) => sql`(${sql.join(set)})`);
  const columns = [
    ...common,
    ...finer.flatMap(({ name }) => [sql.ref(name), sql`grouping(${sql.ref(name)}) as ${sql.ref(`${name}_rolled`)}`]),
    ...Object.entries<RawBuilder<unknown>>(aggregates).map(
      ([name, value]) => sql`(${value})::float8 as ${sql.ref(name)}`,
    ),
  ];
  const inner = [...keys, ...extra, ...finer].map(({ name, value }) => sql`${value} as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, string | number | null>>`
    -- one row per group, and per risk class and tool of a group
    select ${sql.join(columns)}
    from (
      -- one row per row of the relation in scope
      select ${sql.join([sql`c.*`, ...inner])}
      from ${relation.from} as c
      where ${linked(scope)}
        and ${inTime(scope, relation.time)}
        and ${filtered(scope, { narrowing })}
        and ${hasTimes({ ...scope, groupBy })}
        and ${where ?? sql`true`}
    ) as c
    group by grouping sets (${sql.join(sets)})
  `.execute(db);
  return rows.map((row) => {
    const level = row.by_risk_rolled === 0 ? "risk" : row.by_tool_rolled === 0 ? "tool" : "group";
    return {
      key: keys.map(({ name }) => text(row[name])),
      level,
      of: level === "group" ? null : text(row[`by_${level}`]),
      also: extra.map(({ name }) => text(row[name])),
      counts: Object.fromEntries(Object.keys(aggregates).map((name) => [name, row[name]])) as Record<Column, number>,
    };
  });
}

function text(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
