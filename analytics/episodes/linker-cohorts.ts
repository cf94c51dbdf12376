/** The dictionary of cohorts: what calls are filtered and grouped by, stored once and named by an id. */
import { createHash } from "node:crypto";
import type { CohortRow } from "../../database/schema.ts";
import type { CallCohort } from "./count.ts";

/** A combination of values, as the columns of `cohort` hold them. */
export type CohortValues = Readonly<Omit<CohortRow, "project_id" | "cohort_id">>;

/** In this order the values make the id; a cohort's id is stored, so the order never changes. */
const COLUMNS = [
  "tool",
  "tool_source",
  "schema_version",
  "template_version",
  "model",
  "agent_name",
  "environment",
  "risk",
  "external",
  "fingerprint",
  "failure_class",
  "rung",
  "retryability",
  "timed",
] as const satisfies readonly (keyof CohortValues)[];

/**
 * The id of a combination: the same in every process, without a look-up or a sequence. The first 128 bits of SHA-256
 * over the values as JSON, the flags in the order of their names, in the form of a UUID of version 8 (RFC 9562).
 */
export function cohortId(values: CohortValues): string {
  return idOfText(canonicalText(values));
}

function canonicalText(values: CohortValues): string {
  const flags = Object.entries(values.flags).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return JSON.stringify([...COLUMNS.map((column) => values[column]), flags]);
}

function idOfText(canonical: string): string {
  const bytes = createHash("sha256").update(canonical).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The cohorts that rows name, each once. */
export class Cohorts {
  readonly #ids = new Map<string, string>();
  readonly #values = new Map<string, CohortValues>();

  /** The id of what a call, or a count of calls, is counted by. */
  idOf(of: CallCohort): string {
    const values = valuesOf(of);
    const canonical = canonicalText(values);
    const known = this.#ids.get(canonical);
    if (known !== undefined) return known;
    const id = idOfText(canonical);
    this.#ids.set(canonical, id);
    this.#values.set(id, values);
    return id;
  }

  /** By id. */
  get values(): ReadonlyMap<string, CohortValues> {
    return this.#values;
  }
}

function valuesOf(of: CallCohort): CohortValues {
  return {
    tool: of.tool,
    tool_source: of.toolSource,
    schema_version: of.schemaVersion,
    template_version: of.templateVersion,
    model: of.model,
    agent_name: of.agentName,
    environment: of.environment,
    risk: of.risk,
    external: of.external,
    fingerprint: of.fingerprint,
    failure_class: of.failureClass,
    rung: of.rung,
    retryability: of.retryability,
    timed: of.timed,
    flags: of.flags,
  };
}
