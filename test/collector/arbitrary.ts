import fc from "fast-check";
import type { ReceivedObservation } from "../../collector/assemble.ts";
import { call, run, turn } from "./observations.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Without the fields that are `undefined`. */
function stated<T extends object>(record: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** An observation of a few runs and traces that have much in common, so that every rule is met. */
const observation: fc.Arbitrary<ReceivedObservation> = fc
  .record({
    type: fc.constantFrom("run", "turn", "call", "call", "call"),
    place: fc.record({
      span: fc.constantFrom(..."abcdefghijkl"),
      trace: fc.constantFrom("t", "u"),
      parent: maybe(fc.constantFrom(..."abcdefghijklxy")),
      start: fc.nat(40),
      length: fc.nat(20),
      received: fc.nat(5),
    }),
    facts: fc.record({ run_id: maybe(fc.constantFrom("r1", "r2")), leg: maybe(fc.nat(1)) }),
    index: maybe(fc.nat(4)),
    model: maybe(fc.constantFrom("m", "n")),
    call: fc.record({
      ordinal: maybe(fc.nat(2)),
      call_id: maybe(fc.constantFrom("x", "y")),
      failure_class: maybe(fc.constantFrom("schema", "timeout", "unclassified")),
    }),
  })
  .map(({ type, place: { start, length, ...rest }, facts, index, model, call: said }) => {
    const place = stated({ ...rest, start, end: start + length });
    if (type === "run") return run(place, stated(facts));
    if (type === "turn") return turn(place, stated({ ...facts, turn: index, model }));
    return call(place, stated({ ...facts, ...said, turn: index }));
  });

/** Observations with different ids. */
export const observations: fc.Arbitrary<ReceivedObservation[]> = fc.uniqueArray(observation, {
  selector: (one) => `${one.trace_id}${one.span_id}`,
  minLength: 1,
  maxLength: 16,
});
