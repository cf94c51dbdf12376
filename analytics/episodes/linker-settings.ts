/** The settings of a project, and what has to be linked anew when they change. */
import { type Kysely, type Selectable, sql } from "kysely";
import type { Database, ProjectTable } from "../../database/schema.ts";
import { checkSettings } from "./settings.ts";
import type { LinkSettings } from "./types.ts";

/** The time now; given by the caller, so that no query and no rule asks for it itself. */
export type Clock = () => Date;

/** The settings of a project's row. */
export function settingsOf(project: Selectable<ProjectTable>): LinkSettings {
  return {
    linkWindow: project.link_window,
    eventualWindow: project.eventual_window,
    settleAfterSeconds: project.settle_after_seconds,
    turnBasis: project.turn_basis,
  };
}

/** No such project: settings and answers need its row. */
export function noProject(projectId: number): Error {
  return new Error(
    `There is no project ${projectId}. Send the id of a project that is there; the first is 1, "default".`,
  );
}

/**
 * Changes settings of a project, and marks its runs to be linked anew where that changed any; fields that are absent
 * stay. Waits for linkers at work, so that no run stays linked by the settings of before.
 *
 * @returns the settings now in force.
 * @throws {LinkSettingsError} where the settings, with those that stay, are refused (`E` > `W`, no whole number).
 */
export async function applySettings(
  db: Kysely<Database>,
  { projectId, clock }: { projectId: number; clock: Clock },
  change: Partial<LinkSettings>,
): Promise<LinkSettings> {
  return db.transaction().execute(async (trx) => {
    const project = await trx
      .selectFrom("project")
      .selectAll()
      .where("project_id", "=", projectId)
      .forUpdate()
      .executeTakeFirst();
    if (project === undefined) throw noProject(projectId);
    const before = settingsOf(project);
    const after: LinkSettings = { ...before, ...change };
    checkSettings(after);
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    await trx
      .updateTable("project")
      .set({
        link_window: after.linkWindow,
        eventual_window: after.eventualWindow,
        settle_after_seconds: after.settleAfterSeconds,
        turn_basis: after.turnBasis,
      })
      .where("project_id", "=", projectId)
      .execute();
    await relinkAll(trx, { projectId, clock });
    return after;
  });
}

/**
 * Marks every run of a project to be linked anew.
 *
 * @returns how many runs were marked; those that were waiting already are not counted.
 */
export async function relinkAll(
  db: Kysely<Database>,
  { projectId, clock }: { projectId: number; clock: Clock },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into dirty_run (project_id, run_id, marked_at)
    -- one row per run, in an order that others who mark several runs keep too
    select project_id, run_id, ${clock()}::timestamptz from run
    where project_id = ${projectId}
    order by run_id collate "C"
    on conflict (project_id, run_id) do nothing
  `.execute(db);
  return Number(numAffectedRows);
}
