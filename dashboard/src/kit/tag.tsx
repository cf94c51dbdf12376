/** Words with a shape: risk classes, verdicts, outcomes. */
import { Mark, type Shape, type Tone } from "./mark.tsx";
import { OUTCOME_MEANINGS, type Outcome, riskWords } from "./words.ts";

export interface TagProps {
  readonly shape: Shape;
  readonly tone: Tone;
  readonly children: string;
  readonly title?: string;
}

export function Tag({ shape, tone, children, title }: TagProps) {
  return (
    <span className="tag" {...(title === undefined ? {} : { title })}>
      <Mark shape={shape} tone={tone} />
      {children}
    </span>
  );
}

const RISKS: Readonly<Record<string, readonly [Shape, Tone]>> = {
  read: ["ring", "quiet"],
  write_reversible: ["square", "warn"],
  write_irreversible: ["triangle", "bad"],
  unstated: ["hatch", "bad"],
};

export function RiskTag({ risk }: { readonly risk: string }) {
  const [shape, tone] = RISKS[risk] ?? ["hatch", "quiet"];
  return (
    <Tag shape={shape} tone={tone} {...(risk === "unstated" ? { title: "treated as an irreversible write" } : {})}>
      {riskWords(risk)}
    </Tag>
  );
}

const VERDICTS: Readonly<Record<string, readonly [Shape, Tone]>> = {
  accepted: ["disc", "good"],
  rejected: ["cross", "bad"],
  unknown: ["hatch", "quiet"],
};

export function VerdictTag({ verdict }: { readonly verdict: string }) {
  const [shape, tone] = VERDICTS[verdict] ?? ["hatch", "quiet"];
  return (
    <Tag shape={shape} tone={tone}>
      {verdict}
    </Tag>
  );
}

export const OUTCOME_SHAPES: Readonly<Record<Outcome, Shape>> = {
  completed: "disc",
  unsuccessful: "square",
  escalated: "diamond",
  blocked: "bar",
  exhausted: "triangle",
  failed: "cross",
  unknown: "hatch",
};

/** How a run ended; `null` is not known, which is neither completed nor not completed. */
export function OutcomeTag({ outcome }: { readonly outcome: string | null }) {
  const name = (outcome ?? "unknown") as Outcome;
  return (
    <Tag shape={OUTCOME_SHAPES[name] ?? "hatch"} tone={`outcome-${name}`} title={OUTCOME_MEANINGS[name] ?? name}>
      {outcome === null ? "end unknown" : outcome}
    </Tag>
  );
}
