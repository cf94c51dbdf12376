/** What goes wrong by name: the table of fingerprints, and where in the arguments the mistakes are. One question. */
import { useFingerprints } from "../api.ts";
import { Section } from "../kit/page.tsx";
import { Answered, Loading } from "../kit/states.tsx";
import { parameterOf } from "../state/dimensions.ts";
import { FingerprintTable } from "./fingerprint-table.tsx";
import { ParameterHeat } from "./parameter-heat.tsx";

/** The most that the service lists. */
const MOST = "200";

export function FailureNames({ tool }: { readonly tool: string }) {
  const asked = useFingerprints({ tool: parameterOf(tool), limit: MOST });
  return (
    <>
      <Section
        title="Fingerprints"
        className="tool-fingerprints"
        note="In order of hurt: unrepaired episodes in runs that did not complete, then attributed tokens, then extra turns, each weighted by risk."
      >
        <Answered asked={asked} loading={<Loading lines={8} height={320} />}>
          {(answer) => <FingerprintTable tool={tool} answer={answer} />}
        </Answered>
      </Section>
      <Section title="Where the mistakes are" note="Parameter, as the schema names it, by kind of mistake.">
        <Answered asked={asked} loading={<Loading lines={5} height={200} />}>
          {(answer) => <ParameterHeat tool={tool} answer={answer} />}
        </Answered>
      </Section>
    </>
  );
}
