import { Page } from "../kit/page.tsx";
import { Empty } from "../kit/states.tsx";
import { Link } from "../state/link.tsx";

export function NotFoundPage() {
  return (
    <Page title="Nothing is here">
      <Empty title="No page has this address.">
        <p>
          <Link to="/">The overview</Link> leads to every tool, <Link to="/runs">the runs</Link> to each run.
        </p>
      </Empty>
    </Page>
  );
}
