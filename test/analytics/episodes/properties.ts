import fc from "fast-check";
import type { CountedRun } from "../../../analytics/episodes/count.ts";
import type { LinkSettings } from "../../../analytics/episodes/types.ts";
import type { Laws } from "./laws.ts";
import { LAWS_OF_LINKS } from "./laws-of-links.ts";
import { LAWS_OF_NUMBERS } from "./laws-of-numbers.ts";
import { randomRun, randomSettings } from "./random-run.ts";

export const LAWS: Laws = { ...LAWS_OF_LINKS, ...LAWS_OF_NUMBERS };

/** What a law is put to. */
export interface Case {
  readonly run: CountedRun;
  readonly shuffled: CountedRun;
  readonly settings: LinkSettings;
}

export const randomCase: fc.Arbitrary<Case> = fc
  .tuple(randomRun, randomSettings)
  .chain(([run, settings]) =>
    fc.record({ run: fc.constant(run), shuffled: shuffled(run), settings: fc.constant(settings) }),
  );

function shuffled(run: CountedRun): fc.Arbitrary<CountedRun> {
  return fc.record({
    ...{ ended: fc.constant(run.ended), outcome: fc.constant(run.outcome), waiting: fc.constant(run.waiting) },
    lastReceivedAt: fc.constant(run.lastReceivedAt),
    turns: fc.shuffledSubarray([...run.turns], { minLength: run.turns.length }),
    calls: fc.shuffledSubarray([...run.calls], { minLength: run.calls.length }),
  });
}
