/** What people and models mean by what they write: dates, ids, amounts, words of a list. */
import type { Mend } from "./tool.ts";

const MONTHS = [
  ...["january", "february", "march", "april", "may", "june", "july", "august", "september", "october"],
  ...["november", "december"],
];

/** Whether a text is a day of the calendar, `2026-01-15`. */
export function isDay(text: unknown): text is string {
  if (typeof text !== "string" || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The last day of a month; months count from 1. */
export function lastDay(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

export function firstDay(year: number, month: number): string {
  return `${year}-${String(month).padStart(2, "0")}-01`;
}

function monthOf(text: string): { year: number; month: number } | undefined {
  const [, name = "", named] = /^([a-z]+) (\d{4})$/i.exec(text) ?? [];
  const byName = MONTHS.indexOf(name.toLowerCase()) + 1;
  if (byName > 0) return { year: Number(named), month: byName };
  const [, month, year] = /^(\d\d)\/(\d{4})$/.exec(text) ?? [];
  return month === undefined ? undefined : { year: Number(year), month: Number(month) };
}

/** A day, or the month `January 2026` or `01/2026` as its first or last day. */
function dayMeant(received: unknown, which: "first" | "last"): string | undefined {
  if (isDay(received)) return received;
  const month = typeof received === "string" ? monthOf(received) : undefined;
  if (month === undefined) return undefined;
  return (which === "first" ? firstDay : lastDay)(month.year, month.month);
}

/** The first day of the range; where that lies in another month than its last one, the first of that month. */
export const startMeant: Mend = (received, _shop, args) => {
  const start = dayMeant(received, "first");
  const end = dayMeant(args.end, "last");
  if (start === undefined || end === undefined || start.slice(0, 7) === end.slice(0, 7)) return start;
  return `${end.slice(0, 7)}-01`;
};

export const endMeant: Mend = (received) => dayMeant(received, "last");

/** `#482913` and `482913` as the order's id; an id that is no order's as the one that looks most like it. */
export const orderMeant: Mend = (received, { orders }) => {
  const digits = /\d{6}/.exec(String(received))?.[0] ?? "";
  const like = (length: number) => orders.find(({ id }) => id.startsWith(`ord_${digits.slice(0, length)}`));
  return (like(6) ?? like(4) ?? orders.at(-1))?.id;
};

export const parcelMeant: Mend = (received) => {
  const digits = /\d{6}/.exec(String(received))?.[0];
  return digits === undefined ? undefined : `pcl_${digits}`;
};

/** `42.50 EUR`, `42.50` and 42.5 in cents; more than was paid for the order is taken for hundredths of cents. */
export const centsMeant: Mend = (received, shop, args) => {
  const number = Number(/^\d+(\.\d+)?/.exec(String(received))?.[0]);
  if (Number.isNaN(number)) return undefined;
  const cents = Number.isInteger(received) ? number : Math.round(number * 100);
  const paid = shop.orders.find(({ id }) => id === orderMeant(args.order_id, shop, args))?.paidCents ?? cents;
  return cents <= paid ? cents : Math.min(Math.round(cents / 100), paid);
};

/** The order's own currency, whatever came. */
export const currencyMeant: Mend = (_received, shop, args) =>
  shop.orders.find(({ id }) => id === orderMeant(args.order_id, shop, args))?.currency;

/** A word of the list that what came begins like, or one that it is known to stand for. */
export const wordMeant =
  (words: readonly string[], synonyms: Readonly<Record<string, string>>): Mend =>
  (received) => {
    const word = String(received).toLowerCase();
    return words.find((known) => known === word) ?? synonyms[word] ?? words.find((known) => known.startsWith(word));
  };
