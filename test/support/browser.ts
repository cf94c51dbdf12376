/** A real browser for tests of pages: one process a file, a context of its own for every page that is opened. */
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Not the package's own list: `--single-process` hangs on the second context, and it turns web security off. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface OpenedPage {
  readonly page: Page;
  /** What no page may do: violations of the content security policy, errors of scripts, requests that leave the service. */
  readonly complaints: readonly string[];
}

export interface TestBrowser {
  /** A page in a context of its own, 1280 pixels wide unless said otherwise. */
  open(url: string, options?: BrowserContextOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

export async function launchBrowser(): Promise<TestBrowser> {
  const browser: Browser = await playwright.launch({ executablePath: await executable(), args: ARGUMENTS });
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(`script: ${error.message}`));
      page.on("console", (message) => {
        // An answer that was not 200 is a state of the pages, which tests look at; the browser reports it here too.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          complaints.push(`console: ${message.text()}`);
        }
      });
      page.on("request", (request) => {
        const asked = new URL(request.url());
        if (asked.protocol !== "data:" && asked.origin !== new URL(url).origin) {
          complaints.push(`request to elsewhere: ${request.url()}`);
        }
      });
      await page.goto(url);
      return { page, complaints };
    },
    close: () => browser.close(),
  };
}

/** What axe finds that is serious or critical, one line a rule with the places. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

/** How far the page is wider than its window, in pixels; 0 where nothing makes it scroll sideways. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/**
 * Where the browser lies, unpacked from its package at the first call. The package unpacks into the temporary folder and
 * takes what is there for its own, whatever its version: so it gets a folder named by the version, which is put in place
 * whole, as several test files may want it at once.
 */
async function executable(): Promise<string> {
  const manifest = join(ROOT, "node_modules/@sparticuz/chromium/package.json");
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const parent = join(ROOT, ".test");
  const folder = join(parent, `chromium-${version}`);
  if (!(await exists(folder))) {
    await mkdir(parent, { recursive: true });
    const unpacked = await mkdtemp(join(parent, "unpacking-"));
    await unpack(unpacked);
    // Another file was faster where this fails.
    await rename(unpacked, folder).catch(() => rm(unpacked, { recursive: true, force: true }));
  }
  return join(folder, "chromium");
}

async function unpack(folder: string): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const { default: chromium } = await import("@sparticuz/chromium");
    await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
