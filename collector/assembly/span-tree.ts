/** Who encloses whom. */
import { byEnd } from "./order.ts";
import type { ReceivedObservation } from "./types.ts";

export class SpanTree {
  readonly observations: readonly ReceivedObservation[];
  readonly #bySpan = new Map<string, ReceivedObservation>();

  /** Sent twice, a span collides; where two differ in their start all the same, the one that ends later counts. */
  constructor(observations: readonly ReceivedObservation[]) {
    for (const observation of [...observations].sort(byEnd)) this.#bySpan.set(spanKey(observation), observation);
    this.observations = [...this.#bySpan.values()];
  }

  /** From the parent outwards, up to the first span that is not held; a cycle ends where it began. */
  *ancestors(observation: ReceivedObservation): Generator<ReceivedObservation> {
    const seen = new Set([observation.span_id]);
    for (let parent = this.parent(observation); parent; parent = this.parent(parent)) {
      if (seen.has(parent.span_id)) return;
      seen.add(parent.span_id);
      yield parent;
    }
  }

  parent(observation: ReceivedObservation): ReceivedObservation | undefined {
    const { trace_id, parent_span_id } = observation;
    return parent_span_id === null ? undefined : this.#bySpan.get(`${trace_id}/${parent_span_id}`);
  }
}

export function spanKey(observation: ReceivedObservation): string {
  return `${observation.trace_id}/${observation.span_id}`;
}
