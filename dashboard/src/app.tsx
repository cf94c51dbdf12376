/** The pages and their addresses. */
import { usePathname } from "wouter/use-browser-location";
import { EpisodesPage } from "./lists/episodes-page.tsx";
import { RunsPage } from "./lists/runs-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { RunPage } from "./run/run-page.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";
import { Shell } from "./shell/shell.tsx";
import { type Route, routeOf } from "./state/route.ts";
import { ToolPage } from "./tool/tool-page.tsx";

export function App() {
  const route = routeOf(usePathname());
  return (
    <Shell route={route}>
      <Page route={route} />
    </Shell>
  );
}

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case "overview":
      return <OverviewPage />;
    case "tool":
      return <ToolPage key={route.tool} tool={route.tool} />;
    case "runs":
      return <RunsPage />;
    case "run":
      return <RunPage key={route.id} id={route.id} />;
    case "episodes":
      return <EpisodesPage />;
    case "unknown":
      return <NotFoundPage />;
  }
}
