/** Orders: looking one up by its id, and giving money back for it, which nobody can take back again. */
import { ToolInputError } from "@mulligan/instrumentation";
import { z } from "zod";
import { CURRENCIES, type Order, type Shop } from "../shop.ts";
import { centsMeant, currencyMeant, orderMeant, wordMeant } from "./mends.ts";
import { defineTool } from "./tool.ts";

const orderId = z.string().regex(/^ord_\d{6}$/);
const REASONS = ["damaged", "late", "missing_item", "goodwill"] as const;

function orderOf({ orders }: Shop, id: string): Order {
  const order = orders.find((known) => known.id === id);
  if (order !== undefined) return order;
  throw new ToolInputError({
    parameter: "order_id",
    category: "custom",
    message: "LookupError: no row matches the given key",
  });
}

export const getOrder = defineTool("get_order", {
  description: "Looks up one order of the customer.",
  version: "2",
  risk: { mutates: false },
  schema: z.strictObject({ order_id: orderId }),
  example: { order_id: "ord_482913" },
  mends: { order_id: orderMeant },
  async run({ order_id }, { shop, time, random }) {
    await time.sleep(random.whole(30, 120));
    const { id, currency, paidCents, creditedCents } = orderOf(shop, order_id);
    return { result: { id, currency, paid_cents: paidCents, credited_cents: creditedCents } };
  },
});

export const issueCredit = defineTool("issue_credit", {
  description: "Gives money back for an order. It cannot be undone.",
  version: "4",
  risk: { mutates: true, reversible: false },
  schema: z.strictObject({
    order_id: orderId,
    amount_cents: z.int().min(1),
    currency: z.enum(CURRENCIES),
    reason: z.enum(REASONS),
  }),
  example: { order_id: "ord_482913", amount_cents: 4_250, currency: "EUR", reason: "damaged" },
  mends: {
    order_id: orderMeant,
    amount_cents: centsMeant,
    currency: currencyMeant,
    reason: (...given) => wordMeant(REASONS, { broken: "damaged" })(...given) ?? "goodwill",
  },
  async run({ order_id, amount_cents, currency }, { shop, time, random }) {
    await time.sleep(random.whole(80, 260));
    const order = orderOf(shop, order_id);
    const left = order.paidCents - order.creditedCents;
    if (currency !== order.currency) {
      const message = "ValueError: currency mismatch";
      throw new ToolInputError({ parameter: "currency", category: "conditional", message });
    }
    if (amount_cents > left) {
      const message = "ValueError: amount exceeds captured total";
      throw new ToolInputError({ parameter: "amount_cents", category: "range", message });
    }
    order.creditedCents += amount_cents;
    return { result: { order_id, credited_cents: amount_cents }, state: "completed" };
  },
});
