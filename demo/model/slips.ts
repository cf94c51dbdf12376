/** What models write in place of the right call: by tool, each slip in two wrong forms, the second one tried after the first. */
import { firstDay } from "../tools/mends.ts";
import type { Arguments } from "../tools/tool.ts";

/** A call without its id. */
export interface Draft {
  readonly name: string;
  readonly arguments: string;
  /** The model's answer ended at its token limit, before the arguments did. */
  readonly cutOff?: true;
}

export interface Slip {
  /** How often, of the slips of the tool. */
  readonly weight: number;
  /** The first and the second wrong form of the right call. */
  readonly forms: (right: Arguments) => readonly [Draft, Draft];
}

export function draft(name: string, args: Arguments): Draft {
  return { name, arguments: JSON.stringify(args) };
}

/** One argument written wrongly; a form that is undefined leaves the argument out. */
function wrong(
  tool: string,
  weight: number,
  parameter: string,
  forms: (right: unknown, all: Arguments) => readonly [unknown, unknown],
): Slip {
  return {
    weight,
    forms(right) {
      const [first, second] = forms(right[parameter], right);
      return [draft(tool, { ...right, [parameter]: first }), draft(tool, { ...right, [parameter]: second })];
    },
  };
}

/** An invented name, and another one. */
function invented(weight: number, first: string, second: string): Slip {
  return { weight, forms: (right) => [draft(first, right), draft(second, right)] };
}

/** Cut off, once earlier and once later. */
function cutOff(tool: string, weight: number): Slip {
  return {
    weight,
    forms(right) {
      const whole = JSON.stringify(right);
      const text = (share: number): Draft => ({
        ...{ name: tool, cutOff: true, arguments: whole.slice(0, Math.floor(whole.length * share)) },
      });
      return [text(0.7), text(0.85)];
    },
  };
}

const digits = (id: unknown) => String(id).replace(/^\D+/, "");
const swapped = (id: unknown) => String(id).replace(/(\d)(\d)$/, (_, a, b) => `${b}${(Number(a) + 1) % 10}`);
const MONTH = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
const monthName = (day: unknown) => MONTH.format(new Date(`${day}T00:00:00Z`));
const monthNumber = (day: unknown) => `${String(day).slice(5, 7)}/${String(day).slice(0, 4)}`;

/** The first day of the month that lies so many months before. */
function monthsBefore(day: unknown, months: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() - months, 1);
  return firstDay(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

const wrongDays = (tool: string): Slip[] => [
  wrong(tool, 6, "start", (day) => [monthName(day), monthNumber(day)]),
  wrong(tool, 2, "end", (day) => [monthName(day), monthNumber(day)]),
];

export const SLIPS: Readonly<Record<string, readonly Slip[]>> = {
  get_order: [
    wrong("get_order", 5, "order_id", (id) => [`#${digits(id)}`, digits(id)]),
    wrong("get_order", 2, "order_id", (id) => [swapped(id), swapped(swapped(id))]),
  ],
  issue_credit: [
    wrong("issue_credit", 5, "amount_cents", (cents, { currency }) => [
      `${(Number(cents) / 100).toFixed(2)} ${currency}`,
      (Number(cents) / 100).toFixed(2),
    ]),
    wrong("issue_credit", 3, "currency", (code) => [
      { EUR: "Euro", USD: "Dollar", GBP: "Pound" }[String(code)],
      String(code).toLowerCase(),
    ]),
    wrong("issue_credit", 2, "amount_cents", (cents) => [Number(cents) * 100, Number(cents) * 10]),
    wrong("issue_credit", 1, "reason", () => [undefined, "customer asked"]),
    invented(1, "refund_order", "credit_order"),
  ],
  update_subscription: [
    wrong("update_subscription", 5, "plan", (plan) => [
      { professional: "Pro", enterprise: "Business" }[String(plan)],
      `${String(plan)} plan`,
    ]),
    wrong("update_subscription", 2, "effective", () => ["immediately", "ASAP"]),
    invented(1, "change_plan", "set_plan"),
  ],
  list_transactions: [
    ...wrongDays("list_transactions"),
    wrong("list_transactions", 2, "start", (day) => [monthsBefore(day, 3), monthsBefore(day, 1)]),
  ],
  create_export: [
    ...wrongDays("create_export"),
    wrong("create_export", 5, "format", () => ["Excel", "XLS"]),
    wrong("create_export", 2, "format", () => [undefined, "spreadsheet"]),
    cutOff("create_export", 2),
  ],
  export_status: [wrong("export_status", 1, "export_id", (id) => [`#${digits(id)}`, digits(id)])],
  track_parcel: [wrong("track_parcel", 1, "parcel_id", (id) => [`#${digits(id)}`, digits(id)])],
};
