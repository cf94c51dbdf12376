/** The tools that the agents are offered. */
import { getOrder, issueCredit } from "./orders.ts";
import { fetchPage, searchHelp, trackParcel } from "./outside.ts";
import { createExport, exportStatus, listTransactions1, listTransactions2 } from "./ranges.ts";
import { updateSubscription } from "./subscriptions.ts";
import type { Tool } from "./tool.ts";

export interface ToolSet {
  readonly byName: ReadonlyMap<string, Tool>;
  /** The version of `list_transactions`' schema, the only one that changed. */
  readonly release: "1" | "2";
}

const SAME = [
  ...[getOrder, issueCredit, updateSubscription, createExport, exportStatus],
  ...[trackParcel, fetchPage, searchHelp],
];

export const TOOLS: Readonly<Record<ToolSet["release"], ToolSet>> = {
  "1": { release: "1", byName: new Map([...SAME, listTransactions1].map((tool) => [tool.name, tool])) },
  "2": { release: "2", byName: new Map([...SAME, listTransactions2].map((tool) => [tool.name, tool])) },
};

/** Names that models make up, and the tool that each of them means. */
export const NAMES_MEANT: Readonly<Record<string, string>> = {
  refund_order: "issue_credit",
  credit_order: "issue_credit",
  change_plan: "update_subscription",
  set_plan: "update_subscription",
};
