/**
 * The built pages. Files whose name holds their hash are kept by browsers for ever; the page that names them is asked for
 * again each time. Any other address that a browser opens is a place inside the pages, and gets the page.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveStatic } from "@hono/node-server/serve-static";
import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";

/** What pages may do: load and ask from their own address, run no inline script, be framed by nobody. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Addresses of machines: an unknown one below them is never a page. */
const NOT_PAGES = /^\/(?:api|v1|metrics|healthz|readyz)(?:\/|$)/;

const DIST = fileURLToPath(new URL("../dashboard/dist", import.meta.url));

/** @param dist - The folder that `npm run build:dashboard` writes; the app says so where it is not there. */
export function pagesApp(dist: string = DIST): Hono {
  const app = new Hono();
  const keep = (cacheControl: string) => (_path: string, context: Context) => {
    context.header("cache-control", cacheControl);
  };
  // Browsers ask about "/" with text/html; a probe without that header gets the page there too.
  const isPage = ({ req }: Context) =>
    !NOT_PAGES.test(req.path) && (req.path === "/" || (req.header("accept") ?? "").includes("text/html"));

  app.get(
    "/assets/*",
    compress(),
    serveStatic({
      // Not `root`: it complains on the console where the folder is not there yet.
      rewriteRequestPath: (path) => join(dist, path),
      onFound: keep("public, max-age=31536000, immutable"),
    }),
    (context) => context.text("No such file: the pages were built anew; reload them.\n", 404),
  );
  app.get("*", async (context, next) => {
    if (!isPage(context)) return next();
    if (existsSync(join(dist, "index.html"))) return page(context, next);
    return context.text(
      "Mulligan is running; its pages are not built. Run `npm run build:dashboard`, then load this address again. The answers without pages: /api/v1/openapi.json.\n",
      503,
    );
  });
  const index = serveStatic({ path: join(dist, "index.html"), onFound: keep("no-cache") });
  const tagged = etag();
  const page = (context: Context, next: () => Promise<void>) =>
    tagged(context, async () => {
      const found = await index(context, next);
      if (found !== undefined) context.res = found;
    });
  return app;
}
