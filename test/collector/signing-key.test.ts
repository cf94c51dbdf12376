import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signingKeyText } from "../../collector/signing-key.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "mulligan-key-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test("the configured key wins, and no file is made", async () => {
  const folder = join(root, "configured");
  expect(await signingKeyText({ configured: "0123456789abcdef", folder })).toEqual({
    key: "0123456789abcdef",
    madeAt: null,
  });
  await expect(stat(folder)).rejects.toThrow(/ENOENT/);
});

test("imports that start at once end up with one key, readable by its owner only", async () => {
  const folder = join(root, "raced");
  const made = await Promise.all(Array.from({ length: 8 }, () => signingKeyText({ configured: undefined, folder })));
  expect(new Set(made.map(({ key }) => key)).size).toBe(1);
  expect(made.filter(({ madeAt }) => madeAt !== null)).toHaveLength(1);
  expect(await readdir(folder)).toEqual(["signing.key"]);
  const path = join(folder, "signing.key");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await readFile(path, "utf8")).trim()).toBe(made[0]!.key);
  expect(made[0]!.key.length).toBeGreaterThanOrEqual(32);
});

test("a short key is refused with how to make one, and never shown", async () => {
  const folder = join(root, "short");
  await expect(signingKeyText({ configured: "sesame", folder })).rejects.toThrow(
    /MULLIGAN_SIGNING_KEY has 6 bytes, expected at least 16.*openssl rand/,
  );
  await signingKeyText({ configured: undefined, folder });
  await writeFile(join(folder, "signing.key"), "sesame\n");
  const error = await signingKeyText({ configured: undefined, folder }).catch((reason: Error) => reason);
  expect((error as Error).message).toContain("signing.key has 6 bytes");
  expect((error as Error).message).not.toContain("sesame");
});

test("a folder that cannot hold the key is named with what to set instead", async () => {
  const file = join(root, "a-file");
  await writeFile(file, "");
  await expect(signingKeyText({ configured: undefined, folder: join(file, "data") })).rejects.toThrow(
    /signing\.key cannot be used.*MULLIGAN_SIGNING_KEY/,
  );
});
