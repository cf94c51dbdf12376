/** Who encloses whom. */
import { byEnd, byStart } from "./order.ts";
import type { ReceivedObservation, SaidOfCall } from "./types.ts";

export class SpanTree {
  readonly observations: readonly ReceivedObservation[];
  readonly #bySpan = new Map<string, ReceivedObservation>();
  readonly #outermostOfCircle: ReadonlySet<ReceivedObservation>;

  /** Sent twice, a span collides; where two differ in their start all the same, the one that ends later counts. */
  constructor(observations: readonly ReceivedObservation[]) {
    for (const observation of [...observations].sort(byEnd)) this.#bySpan.set(spanKey(observation), observation);
    this.observations = [...this.#bySpan.values()];
    this.#outermostOfCircle = this.#cutCircles();
  }

  /** The span around this one, where it is held. Of spans that enclose each other in a circle the first by `byStart` has none. */
  parent(observation: ReceivedObservation): ReceivedObservation | undefined {
    return this.#outermostOfCircle.has(observation) ? undefined : this.#stated(observation);
  }

  /**
   * Outwards from a span to the nearest one around it that is wanted. Chains may be thousands of spans deep: what one
   * search found, the next ones use.
   */
  nearest<Wanted extends ReceivedObservation>(
    wanted: (observation: ReceivedObservation) => observation is Wanted,
  ): (observation: ReceivedObservation) => Wanted | undefined;
  nearest(
    wanted: (observation: ReceivedObservation) => boolean,
  ): (observation: ReceivedObservation) => ReceivedObservation | undefined;
  nearest(wanted: (observation: ReceivedObservation) => boolean) {
    const outwards = (observation: ReceivedObservation) => (wanted(observation) ? undefined : this.parent(observation));
    const end = lastOf(outwards);
    return (observation: ReceivedObservation) => {
      const parent = this.parent(observation);
      const found = parent && end(parent);
      return found !== undefined && wanted(found) ? found : undefined;
    };
  }

  #stated({ trace_id, parent_span_id }: ReceivedObservation): ReceivedObservation | undefined {
    return parent_span_id === null ? undefined : this.#bySpan.get(`${trace_id}/${parent_span_id}`);
  }

  #cutCircles(): Set<ReceivedObservation> {
    const cut = new Set<ReceivedObservation>();
    const walkOf = new Map<ReceivedObservation, ReceivedObservation>();
    for (const start of this.observations) {
      let at: ReceivedObservation | undefined = start;
      while (at !== undefined && !walkOf.has(at)) {
        walkOf.set(at, start);
        at = this.#stated(at);
      }
      if (at === undefined || walkOf.get(at) !== start) continue;
      let first = at;
      for (let member = this.#stated(at)!; member !== at; member = this.#stated(member)!) {
        if (byStart(member, first) < 0) first = member;
      }
      cut.add(first);
    }
    return cut;
  }
}

/** Where a chain ends, remembered for every link of it. The chain must have an end. */
export function lastOf<T>(next: (link: T) => T | undefined): (link: T) => T {
  const ends = new Map<T, T>();
  return (link) => {
    const walked: T[] = [];
    let at = link;
    while (!ends.has(at)) {
      walked.push(at);
      const following = next(at);
      if (following === undefined) ends.set(at, at);
      else at = following;
    }
    const end = ends.get(at)!;
    for (const one of walked) ends.set(one, end);
    return end;
  };
}

export function spanKey(observation: ReceivedObservation): string {
  return `${observation.trace_id}/${observation.span_id}`;
}

export const isCall = (one: ReceivedObservation): one is SaidOfCall => one.record.type === "call";
