/** Which observations are of one call (METRICS.md section 1, *Tool call*). */
import { byStart } from "./order.ts";
import { isCall, type SpanTree } from "./span-tree.ts";
import type { SaidOfCall } from "./types.ts";

/** The observations of one call, sorted by `byStart`. */
export type CallGroup = readonly SaidOfCall[];

/** Disjoint sets of observations. */
class Groups {
  readonly #parent = new Map<SaidOfCall, SaidOfCall>();

  root(member: SaidOfCall): SaidOfCall {
    let root = member;
    for (let next = this.#parent.get(root); next !== undefined; next = this.#parent.get(root)) root = next;
    for (let at = member; at !== root; ) {
      const next = this.#parent.get(at)!;
      this.#parent.set(at, root);
      at = next;
    }
    return root;
  }

  unite(a: SaidOfCall, b: SaidOfCall): void {
    const [from, to] = [this.root(a), this.root(b)];
    if (from !== to) this.#parent.set(from, to);
  }

  of(members: readonly SaidOfCall[]): CallGroup[] {
    const groups = new Map<SaidOfCall, SaidOfCall[]>();
    for (const member of members) {
      const root = this.root(member);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, [member]);
      else group.push(member);
    }
    return [...groups.values()].map((group) => group.sort(byStart));
  }
}

/**
 * Unites what can be said before turns are known: the same exact (turn, ordinal) of a leg, and a tool span inside the
 * tool span of the same call.
 */
export function uniteByPlaceAndNesting(
  calls: readonly SaidOfCall[],
  tree: SpanTree,
  legOf: (call: SaidOfCall) => number,
): CallGroup[] {
  const groups = new Groups();
  const placed = new Map<string, SaidOfCall>();
  const callAround = tree.nearest(isCall);
  for (const call of calls) {
    const { turn, ordinal, turn_source } = call.record;
    if (turn !== undefined && ordinal !== undefined && turn_source !== "inferred") {
      const place = `${legOf(call)}/${turn}/${ordinal}`;
      const first = placed.get(place);
      if (first === undefined) placed.set(place, call);
      else groups.unite(call, first);
    }
    const enclosing = callAround(call);
    if (enclosing !== undefined && sameCall(call, enclosing)) groups.unite(call, enclosing);
  }
  return groups.of(calls);
}

function sameCall(a: SaidOfCall, b: SaidOfCall): boolean {
  if (a.record.call_id !== undefined && a.record.call_id === b.record.call_id) return true;
  return a.record.tool === b.record.tool && sameSignature(a, b) === true;
}

/** `null` where the signatures cannot be compared. */
function sameSignature(a: SaidOfCall, b: SaidOfCall): boolean | null {
  const [one, other] = [a.record, b.record];
  if (one.signature === undefined || other.signature === undefined || one.key_id !== other.key_id) return null;
  return one.signature === other.signature;
}

/**
 * Unites the calls of one turn that share a call id. Ids are no keys: two that state other places *and* other
 * signatures are two proposals under one reused id, for no proposal has two signatures.
 */
export function uniteByCallId(groups: readonly CallGroup[]): CallGroup[] {
  const united: SaidOfCall[][] = [];
  const byId = new Map<string, SaidOfCall[][]>();
  for (const group of [...groups].sort((a, b) => byStart(a[0]!, b[0]!))) {
    const ids = new Set(group.map((call) => call.record.call_id).filter((id) => id !== undefined));
    const partner = [...ids].flatMap((id) => byId.get(id) ?? []).find((other) => !twoProposals(group, other));
    const target = partner ?? [];
    if (partner === undefined) united.push(target);
    for (const call of group) target.push(call);
    for (const id of ids) {
      const sharing = byId.get(id);
      if (sharing === undefined) byId.set(id, [target]);
      else if (!sharing.includes(target)) sharing.push(target);
    }
  }
  return united.map((group) => group.sort(byStart));
}

function twoProposals(a: CallGroup, b: readonly SaidOfCall[]): boolean {
  return a.some((one) =>
    b.some(
      (other) =>
        one.record.ordinal !== undefined &&
        other.record.ordinal !== undefined &&
        one.record.ordinal !== other.record.ordinal &&
        sameSignature(one, other) === false,
    ),
  );
}
