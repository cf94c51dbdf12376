import { describe, expect, test } from "vitest";
import { ConfigError, configurationMarkdown, readConfig, VARIABLES } from "../config.ts";

describe("the environment", () => {
  test("nothing set gives loopback, the OTLP port and the embedded database in the user's data folder", () => {
    const config = readConfig({ XDG_DATA_HOME: "/data" });
    expect(config).toMatchObject({ host: "127.0.0.1", port: 4318, dataDir: "/data/mulligan", dataDirGiven: false });
    expect(config.databaseUrl).toBeUndefined();
  });

  test("an empty variable counts as one that is not set", () => {
    expect(readConfig({ DATABASE_URL: " ", MULLIGAN_PORT: "" })).toMatchObject({ port: 4318 });
  });

  test.each([
    ["MULLIGAN_PORT", "http"],
    ["MULLIGAN_PORT", "65536"],
    ["MULLIGAN_RETENTION_DAYS", "0"],
    ["MULLIGAN_LINK_WINDOW", "1.5"],
    ["MULLIGAN_TURN_BASIS", "turns"],
  ])("%s=%s is refused by a text that names it, shows what came and gives an example", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(
      new RegExp(`^${name} is "${value}", expected .* Example: ${name}=`),
    );
  });

  test("a signing key that can be guessed is refused without showing it", () => {
    expect(() => readConfig({ MULLIGAN_SIGNING_KEY: "hunter2" })).toThrow(
      /^MULLIGAN_SIGNING_KEY has 7 bytes, expected at least 16/,
    );
    expect(() => readConfig({ MULLIGAN_SIGNING_KEY: "hunter2" })).not.toThrow(/hunter2/);
  });

  test("an eventual window beyond the link window is refused with both named", () => {
    expect(() => readConfig({ MULLIGAN_LINK_WINDOW: "2", MULLIGAN_EVENTUAL_WINDOW: "3" })).toThrow(
      /MULLIGAN_EVENTUAL_WINDOW is 3 and MULLIGAN_LINK_WINDOW is 2/,
    );
  });

  test("every variable is documented once, and those that the table does not know are not read", () => {
    const read = new Set<string>();
    readConfig(
      new Proxy(
        {},
        {
          get(_, name) {
            read.add(String(name));
            return undefined;
          },
        },
      ),
    );
    const known = VARIABLES.map(({ name }) => name);
    expect(new Set(known).size).toBe(known.length);
    expect(
      [...read].filter(
        (name) => !known.includes(name) && !["XDG_DATA_HOME", "LOCALAPPDATA", "npm_lifecycle_event"].includes(name),
      ),
    ).toEqual([]);
    expect(known.filter((name) => !read.has(name))).toEqual([]);
    for (const name of known) expect(configurationMarkdown()).toContain(`| \`${name}\` |`);
  });
});
