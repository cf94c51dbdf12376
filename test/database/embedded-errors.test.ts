import { describe, expect, test } from "vitest";
import { explainEmbeddedError } from "../../database/embedded-errors.ts";

describe("an embedded database that does not open", () => {
  test.each([
    [
      Object.assign(new Error("EROFS: read-only file system, open 'x.lock'"), { code: "EROFS" }),
      /\(EROFS\).*read-only.*--data-dir/,
    ],
    [Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }), /\(ENOSPC\).*make room/],
    [{ name: "ErrnoError", errno: 51 }, /\(ENOSPC\).*make room/],
    [new Error("Aborted(). Build with -sASSERTIONS for more info."), /damaged.*move the folder away/],
    [{ strange: true }, /damaged.*move the folder away/],
  ])("names the folder, the reason and what to do: %o", (error, text) => {
    const explained = explainEmbeddedError("/data/mulligan", error);
    expect(explained.message).toMatch(text);
    expect(explained.message).toContain("/data/mulligan");
    expect(explained.cause).toBe(error);
  });

  test("an error that says what to do itself is left as it is", () => {
    const said = new Error("The data directory is open in process 7; stop it.");
    expect(explainEmbeddedError("/data", said)).toBe(said);
  });
});
