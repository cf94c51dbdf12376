/** How the runs of the answers' benchmark go: ten calls each, one a turn, and a last response without a call. */

/** A call: which of the run's three tools, and what became of it. */
interface Step {
  readonly slot: 0 | 1 | 2;
  /** `first` and `second` are wrong calls with different arguments. */
  readonly kind: "right" | "first" | "second" | "execution" | "denied";
}

export interface Scenario {
  /** Runs of a thousand. */
  readonly weight: number;
  readonly outcome: string | null;
  readonly steps: readonly Step[];
}

export const CALLS_PER_RUN = 10;

/** `a b1 c`: tools a, b and c; 1 and 2 are wrong calls, `!` one whose tool failed, `x` one that was denied. */
const KINDS: Readonly<Record<string, Step["kind"]>> = {
  "": "right",
  "1": "first",
  "2": "second",
  "!": "execution",
  x: "denied",
};

function scenario(weight: number, outcome: string | null, text: string): Scenario {
  const steps = text.split(" ").map((word): Step => {
    const slot = "abc".indexOf(word[0] ?? "");
    const kind = KINDS[word.slice(1)];
    if ((slot !== 0 && slot !== 1 && slot !== 2) || kind === undefined) throw new Error(`no step: ${word}`);
    return { slot, kind };
  });
  if (steps.length !== CALLS_PER_RUN) throw new Error(`${CALLS_PER_RUN} steps were expected: ${text}`);
  return { weight, outcome, steps };
}

/** Every row of the funnel, with W = E = 2; about four calls in a hundred are rejected. */
export const SCENARIOS: readonly Scenario[] = [
  scenario(625, "completed", "a b c a b c a b c a"),
  scenario(50, "unsuccessful", "a b c a b c a b c a"),
  scenario(30, null, "a b c a b c a b c a"),
  scenario(30, "completed", "a b c a! a b c a b c"),
  scenario(10, "blocked", "a b c ax ax b c b c b"),
  scenario(100, "completed", "a b c a1 a b c a b c"),
  scenario(30, "completed", "a b c a1 a2 a b c b c"),
  scenario(20, "completed", "a b c a1 b a c b a c"),
  scenario(15, "completed", "a b c a1 a1 a2 a b c b"),
  scenario(20, "escalated", "a b c a1 a2 b c b c b"),
  scenario(15, "exhausted", "a b c b c b a1 a1 a1 a1"),
  scenario(10, "unsuccessful", "a b c a1 b c b c b c"),
  scenario(8, "blocked", "a b c a b c a b c a1"),
  scenario(7, "failed", "a b c a b c a b a1 a2"),
  scenario(10, "completed", "a b c a1 b c b c b c"),
  scenario(5, null, "a b c a1 a1 b c b c b"),
  scenario(15, "completed", "a b c a1 b1 a b c a b"),
];

/** Of a thousand runs, those of the scenarios above that hold no rejected call; they stand first. */
export const WITHOUT_REJECTION = SCENARIOS.filter(
  ({ steps }) => !steps.some(({ kind }) => kind === "first" || kind === "second"),
).reduce((sum, { weight }) => sum + weight, 0);
