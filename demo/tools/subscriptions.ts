/** Subscriptions: words of a list. */
import { ToolInputError } from "@mulligan/instrumentation";
import { z } from "zod";
import { PLANS } from "../shop.ts";
import { wordMeant } from "./mends.ts";
import { defineTool } from "./tool.ts";

const EFFECTIVE = ["now", "next_cycle"] as const;

export const updateSubscription = defineTool("update_subscription", {
  description: "Changes the customer's plan.",
  version: "2",
  risk: { mutates: true, reversible: true },
  schema: z.strictObject({
    subscription_id: z.string().regex(/^sub_\d{6}$/),
    plan: z.enum(PLANS),
    effective: z.enum(EFFECTIVE),
  }),
  example: { subscription_id: "sub_482913", plan: "professional", effective: "now" },
  mends: {
    subscription_id: (_received, { subscription }) => subscription.id,
    plan: wordMeant(PLANS, {
      "professional plan": "professional",
      business: "enterprise",
      "enterprise plan": "enterprise",
    }),
    effective: wordMeant(EFFECTIVE, { asap: "now", immediately: "now" }),
  },
  async run({ subscription_id, plan }, { shop, time, random }) {
    await time.sleep(random.whole(60, 220));
    if (subscription_id !== shop.subscription.id) {
      const message = "LookupError: no row matches the given key";
      throw new ToolInputError({ parameter: "subscription_id", category: "custom", message });
    }
    shop.subscription.plan = plan;
    return { result: { subscription_id, plan }, state: "completed" };
  },
});
