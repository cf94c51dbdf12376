/** What people ask of the agents, as the model understands it: stages of calls, those of one stage proposed together. */

import type { Random } from "../random.ts";
import { ALLOWED_HOSTS, PLANS, type Shop } from "../shop.ts";
import { firstDay, lastDay } from "../tools/mends.ts";
import type { Arguments } from "../tools/tool.ts";

/** What the model has read so far: by tool, the latest result. */
export type Memory = ReadonlyMap<string, Arguments>;

/** One call that has to succeed, with the right arguments. */
export interface Goal {
  readonly tool: string;
  readonly args: (memory: Memory) => Arguments;
  /** Whether the task is lost without it. */
  readonly essential: boolean;
  /** Asked again while its result says that the work goes on. */
  readonly poll?: boolean;
}

export interface Task {
  readonly agent: "support-desk" | "finance-ops";
  readonly stages: readonly (readonly Goal[])[];
}

type MakeTask = (random: Random, shop: Shop, now: number) => Task;

function goal(tool: string, args: Arguments, essential = true): Goal {
  return { tool, args: () => args, essential };
}

/** The month before the last one, or the one before that, as a range of days. */
function pastMonth(random: Random, now: number): { start: string; end: string } {
  const date = new Date(now);
  date.setUTCMonth(date.getUTCMonth() - random.whole(1, 3), 1);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  return { start: firstDay(year, month), end: lastDay(year, month) };
}

const refund: MakeTask = (random, shop) => {
  const orders = random.chance(0.25) ? shop.orders.slice(0, 2) : [random.pick(shop.orders)];
  const credits = orders.map(({ id, currency, paidCents }) => [
    goal("issue_credit", {
      order_id: id,
      amount_cents: random.chance(0.5) ? paidCents : Math.ceil(paidCents / 2),
      currency,
      reason: random.pick(["damaged", "late", "missing_item"]),
    }),
  ]);
  return { agent: "support-desk", stages: [orders.map(({ id }) => goal("get_order", { order_id: id })), ...credits] };
};

const statement: MakeTask = (random, _shop, now) => {
  const range = pastMonth(random, now);
  const format = random.pick(["csv", "xlsx"]);
  const look: Goal = {
    tool: "export_status",
    args: (memory) => ({ export_id: memory.get("create_export")?.export_id }),
    essential: true,
    poll: true,
  };
  // Some are content with *accepted*, and say that the export is there.
  const followsUp = random.chance(0.82);
  return {
    agent: "finance-ops",
    stages: [
      [goal("list_transactions", range)],
      [goal("create_export", { dataset: "transactions", ...range, format })],
      ...(followsUp ? [[look]] : []),
    ],
  };
};

const reconcile: MakeTask = (random, shop, now) => ({
  agent: "finance-ops",
  stages: [
    [
      goal("list_transactions", pastMonth(random, now)),
      ...shop.orders.slice(0, 2).map(({ id }) => goal("get_order", { order_id: id }, false)),
    ],
  ],
});

const changePlan: MakeTask = (random, { subscription }) => ({
  agent: "support-desk",
  stages: [
    [goal("search_help", { query: "plans" }, false)],
    [
      goal("update_subscription", {
        subscription_id: subscription.id,
        plan: random.pick(PLANS.slice(1)),
        effective: random.weighted([
          ["now", 3],
          ["next_cycle", 1],
        ]),
      }),
    ],
  ],
});

const parcel: MakeTask = (random, shop) => {
  const { id, parcelId } = random.pick(shop.orders);
  const lookup = goal("get_order", { order_id: id }, false);
  const track = goal("track_parcel", { parcel_id: parcelId });
  return { agent: "support-desk", stages: random.chance(0.5) ? [[lookup, track]] : [[lookup], [track]] };
};

const question: MakeTask = (random) => {
  const host = random.chance(0.35) ? "forum.example.net" : random.pick(ALLOWED_HOSTS);
  const url = `https://${host}/${random.pick(["returns", "sizes", "warranty"])}`;
  const search = (query: string) => goal("search_help", { query }, false);
  const stages = [[search("warranty")], [goal("fetch_page", { url }, random.chance(0.5))]];
  return { agent: "support-desk", stages: random.chance(0.6) ? [...stages, [search("guarantee")]] : stages };
};

const TASKS: readonly (readonly [MakeTask, number])[] = [
  [refund, 32],
  [statement, 18],
  [reconcile, 12],
  [changePlan, 15],
  [parcel, 13],
  [question, 10],
];

export function taskOf(random: Random, shop: Shop, now: number): Task {
  return random.weighted(TASKS)(random, shop, now);
}
