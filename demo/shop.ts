/** What the tools' backend knows of one customer: made up from the run's seed, looked up and changed by the tools. */
import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

export const CURRENCIES = ["EUR", "USD", "GBP"] as const;
export type Currency = (typeof CURRENCIES)[number];
export const PLANS = ["starter", "professional", "enterprise"] as const;

export interface Order {
  readonly id: string;
  readonly parcelId: string;
  readonly currency: Currency;
  readonly paidCents: number;
  creditedCents: number;
}

export interface Export {
  /** When the work is over, for good or ill; milliseconds since 1970. */
  readonly endsAt: number;
  readonly fails: boolean;
}

export interface Shop {
  readonly orders: readonly Order[];
  readonly subscription: { readonly id: string; plan: (typeof PLANS)[number] };
  readonly exports: Map<string, Export>;
}

/** Where a tool stands while it runs one call. */
export interface Backend {
  readonly shop: Shop;
  readonly time: Timeline;
  /** Whims of the systems behind the tools. */
  readonly random: Random;
}

/** Hosts that pages may be read from. */
export const ALLOWED_HOSTS: readonly string[] = ["help.example.com", "docs.example.com"];

/** A refund of one of these orders shows in every error text of a careless template; no customer of the demo owns it. */
export const SAMPLE_ORDER_ID = "ord_100001";

export function shopOf(random: Random): Shop {
  const digits = () => String(random.whole(200_000, 999_999));
  const orders = Array.from({ length: random.whole(2, 4) }, () => ({
    id: `ord_${digits()}`,
    parcelId: `pcl_${digits()}`,
    currency: random.weighted<Currency>([
      ["EUR", 6],
      ["USD", 3],
      ["GBP", 1],
    ]),
    paidCents: random.whole(15, 400) * 50,
    creditedCents: 0,
  }));
  return { orders, subscription: { id: `sub_${digits()}`, plan: "starter" }, exports: new Map() };
}
