/** The README is executed: its code is an example's, and runs from the packed package in an empty project. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The fenced blocks of a language, in order. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map((match) => match[1]!);
}

test("the README is at most 150 lines", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test("the README's code is the quick start's, to the letter", () => {
  expect(blocks("js")).toEqual([readFileSync(join(root, "examples/quickstart.mjs"), "utf8")]);
});

test("what the README links to is there", () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1]!);
  expect(links.length).toBeGreaterThan(3);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});

test("every npm script that a document names is there", () => {
  const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);
  for (const document of ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]) {
    const text = readFileSync(join(root, document), "utf8");
    for (const [, script] of text.matchAll(/npm run (?:-s )?([\w:-]+)/g)) expect(scripts, document).toContain(script);
  }
});

test("every command and file that the README names in its shell blocks is there", () => {
  const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);
  const shell = blocks("sh").join("\n");
  for (const [, script] of shell.matchAll(/npm run (?:-s )?([\w:-]+)/g)) expect(scripts).toContain(script);
  for (const [, file] of shell.matchAll(/--rules (\S+)/g)) expect(existsSync(join(root, file!))).toBe(true);
});

describe("the packed instrumentation, installed alone into an empty project", () => {
  let project: string;
  const npm = (...args: string[]) =>
    execFileSync("npm", args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "mulligan-pack-"));
    writeFileSync(join(project, "package.json"), '{"name":"agent","version":"1.0.0","private":true,"type":"module"}');
    const packed = execFileSync(
      "npm",
      ["pack", "--json", "--workspace", "instrumentation", "--pack-destination", project],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const list: unknown = JSON.parse(packed.slice(packed.search(/^[[{]/m)));
    const [file] = (Array.isArray(list) ? list : Object.values(list as object)) as { filename: string }[];
    npm("install", "--prefer-offline", `./${file!.filename}`, "@opentelemetry/api@1.10.0");
    cpSync(join(root, "examples/my-tools.mjs"), join(project, "my-tools.mjs"));
    writeFileSync(join(project, "quickstart.mjs"), blocks("js")[0]!);
  }, 180_000);

  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test("the README's five lines wrap an executor and give its result", () => {
    const env = { ...process.env, MULLIGAN_SIGNING_KEY: "a key of at least sixteen bytes" };
    const printed = execFileSync(process.execPath, ["quickstart.mjs"], { cwd: project, encoding: "utf8", env });
    expect(printed).toBe("booked 2 nights from 2026-01-15\n");
  });

  test("npm ls prints the README's list: eight packages, versions of third parties' own dependencies aside", () => {
    const versions = /(?<=fast-deep-equal@|fast-uri@|json-schema-traverse@|require-from-string@)\S+/g;
    const tree = (text: string) => text.trim().replace(versions, "*");
    const printed = npm("ls", "--omit=dev", "--all").split("\n").slice(1).join("\n");
    expect(tree(printed)).toBe(tree(blocks("text")[0]!));
    const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
      packages: Record<string, object>;
    };
    expect(Object.keys(lock.packages).filter((path) => path !== "")).toHaveLength(8);
  });

  test("the door to the package's inside is left out of the package", () => {
    const script =
      'import("@mulligan/instrumentation/internal/semconv").then(() => console.log("open"), (error) => console.log(error.code))';
    const printed = execFileSync(process.execPath, ["-e", script], { cwd: project, encoding: "utf8" });
    expect(printed.trim()).toMatch(/^ERR_(MODULE_NOT_FOUND|PACKAGE_PATH_NOT_EXPORTED)$/);
  });
});
