import { SigningKey } from "@mulligan/instrumentation/internal/signature";
import { resolveSigningKey } from "@mulligan/instrumentation/internal/signing-key";
import { describe, expect, test, vi } from "vitest";

describe("the signing key", () => {
  test("comes from the option, else from the environment, else it is random with one warning", () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    vi.stubEnv("MULLIGAN_SIGNING_KEY", "");
    const random = resolveSigningKey();
    expect(resolveSigningKey()).toBe(random);
    const missing = warn.mock.calls.filter(
      ([, options]) => (options as { code: string }).code === "MULLIGAN_NO_SIGNING_KEY",
    );
    expect(missing).toHaveLength(1);
    expect(String(missing[0]?.[0])).toContain("set it as MULLIGAN_SIGNING_KEY");

    vi.stubEnv("MULLIGAN_SIGNING_KEY", "15-bytes-are-15");
    expect(resolveSigningKey()).toBe(random);
    vi.stubEnv("MULLIGAN_SIGNING_KEY", "16-bytes-are-16!");
    expect(resolveSigningKey().id).toBe(new SigningKey("16-bytes-are-16!").id);
    expect(resolveSigningKey("another key of the tests").id).toBe(new SigningKey("another key of the tests").id);
    expect(random.id).not.toBe(resolveSigningKey().id);
    for (const [message] of warn.mock.calls) expect(String(message)).not.toContain("15-bytes-are-15");
    vi.unstubAllEnvs();
    warn.mockRestore();
  });
});
