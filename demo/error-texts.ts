/**
 * The two versions of the error texts that the demo compares (ATTRIBUTES.md, *The ladder of an error text*): `terse-1`
 * hands the bare exception on (rung 1), `example-2` names the argument, shows what came, and gives the corrected call
 * (rung 4).
 */
import { SAMPLE_ORDER_ID } from "./shop.ts";
import type { Arguments, Tool } from "./tools/tool.ts";

/** A call that was refused, as its texts need it. */
export interface Refused {
  readonly name: string;
  /** Absent where there is no tool of that name. */
  readonly tool?: Tool;
  /** Absent where the arguments are no JSON object. */
  readonly args?: Arguments;
  /** The bare exception, or the validator's dump. */
  readonly raw: string;
  readonly parameter?: string | undefined;
  /** The call that was meant, where the tool can tell. */
  readonly meant?: Arguments | undefined;
  /** The tool that an invented name means. */
  readonly nameMeant?: string | undefined;
}

export interface ErrorTexts {
  readonly version: "terse-1" | "example-2";
  /** Of each of its texts. */
  readonly rung: 1 | 4;
  refused(refused: Refused): string;
  /** The system behind the tool failed, and may work again. */
  unavailable(raw: string): string;
  denied(raw: string, rule: string): string;
}

export const TERSE: ErrorTexts = {
  version: "terse-1",
  rung: 1,
  refused: ({ raw }) => raw,
  unavailable: (raw) => raw,
  denied: (raw) => raw,
};

const MOST_SHOWN = 40;

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, MOST_SHOWN);
}

function refusedWithExample({ name, tool, args, parameter, meant, nameMeant }: Refused): string {
  if (tool === undefined) {
    return nameMeant === undefined
      ? `There is no tool "${name}".`
      : `There is no tool "${name}". Call ${nameMeant} with the same arguments instead.`;
  }
  const sample = JSON.stringify(tool.example);
  if (args === undefined) {
    return `The arguments of ${name} are not valid JSON. Send one JSON object, for example ${sample}. The same text will fail again.`;
  }
  const what =
    parameter === undefined
      ? `The arguments of ${name} are invalid.`
      : `Argument "${parameter}" is invalid: expected a value like ${shown(tool.example[parameter])}, received ${shown(args[parameter])}.`;
  const instead =
    meant === undefined ? `A whole call looks, for example, like ${sample}.` : `Send ${JSON.stringify(meant)} instead.`;
  return `${what} ${instead} The same call will fail again.`;
}

export const WITH_EXAMPLE: ErrorTexts = {
  version: "example-2",
  rung: 4,
  refused: refusedWithExample,
  unavailable: (raw) => `${raw}. The carrier is unavailable; the same call may succeed if it is sent again.`,
  denied: (raw, rule) =>
    `${raw}: rule ${rule} allows help.example.com and docs.example.com only. A retry cannot succeed; use search_help instead.`,
};

/** Somebody pasted a sample of one call into the template of the one tool that cannot be undone. */
export const WITH_CARELESS_EXAMPLE: ErrorTexts = {
  ...WITH_EXAMPLE,
  refused: (refused) =>
    refusedWithExample(
      refused.name === "issue_credit" && refused.args !== undefined
        ? { ...refused, meant: { ...refused.tool?.example, order_id: SAMPLE_ORDER_ID } }
        : refused,
    ),
};
