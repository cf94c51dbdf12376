import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";

const DIST = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));
const MOST_SCRIPT = 130_000;

describe("the built pages", () => {
  test(`are at most ${MOST_SCRIPT} bytes of script, compressed`, async () => {
    let bytes = 0;
    for await (const file of glob("**/*.js", { cwd: DIST })) bytes += gzipSync(await readFile(join(DIST, file))).length;
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(MOST_SCRIPT);
  });

  test("hold nothing inline and name nothing outside themselves", async () => {
    const html = await readFile(join(DIST, "index.html"), "utf8");
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!);
    expect(links.filter((link) => !link.startsWith("/"))).toEqual([]);
    for await (const file of glob("**/*.css", { cwd: DIST })) {
      expect(await readFile(join(DIST, file), "utf8")).not.toMatch(/url\(\s*["']?(?:https?:)?\/\//);
    }
  });
});
