/** No calls in the scope: what would show some, and how a first one comes in. */
import { DIMENSIONS } from "../state/dimensions.ts";
import { Link } from "../state/link.tsx";
import { useScope } from "../state/scope.ts";
import { Empty } from "./states.tsx";

const LINES = `import { instrumentExecutor } from "@mulligan/instrumentation";
import { callTool, tools } from "./my-tools.mjs";

export const execute = instrumentExecutor(callTool, { tools });
// then: node --import @mulligan/instrumentation/register agent.mjs`;

export function EmptyScope({ what = "call" }: { readonly what?: string }) {
  const { filters, times } = useScope();
  const narrowed = Object.keys(filters).length > 0;
  const everything = "last" in times && times.last === "all";
  const without = Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, null]));
  return (
    <Empty title={everything && !narrowed ? `No ${what} has arrived yet.` : `No ${what} in this scope.`}>
      {narrowed ? (
        <p>
          <Link with={without}>Take out the filters</Link>
        </p>
      ) : null}
      {everything ? null : (
        <p>
          <Link with={{ last: "all", from: null, to: null }}>Show everything that was ever recorded</Link>
        </p>
      )}
      <p>
        This page fills with the first tool call that an instrumented executor sends to <code>/v1/traces</code> on this
        address; the next refresh shows it. Five lines wrap what you have:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region */}
      <pre tabIndex={0}>{LINES}</pre>
      <p className="note">
        Or try it with made-up traffic: <code>npm run demo</code>.
      </p>
    </Empty>
  );
}
