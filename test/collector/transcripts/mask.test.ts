import { expect, test } from "vitest";
import { maskText } from "../../../collector/transcripts/mask.ts";

test("what varies from call to call is masked, what the tool's author wrote is kept", () => {
  const shapes: readonly (readonly [text: string, shape: string])[] = [
    ["Error: flight HAT030 not available on date 2024-05-13", "Error: flight * not available on date *"],
    ["payment 375, but paid 299.50", "payment *, but paid *"],
    ["No file at /home/ada/notes.txt or C:\\Temp\\x", "No file at * or *"],
    ["fetch https://example.com/a?b=c failed", "fetch * failed"],
    ["unknown user ada@example.com", "unknown user *"],
    ["id 123e4567-e89b-12d3-a456-426614174000 is gone", "id * is gone"],
    ["'start' must be \"ISO\", got `next week`", "* must be *, got *"],
    ["payment method gift_card_5094406 not found", "payment method * not found"],
    ["expected (a, b), got 1, 2, 3", "expected (a, b), got *"],
    ["  two\n lines ", "two lines"],
  ];
  for (const [text, shape] of shapes) expect(maskText(text)).toBe(shape);
});

test("a text of any length is masked in time that grows with it, not with its square", () => {
  for (const unit of ["x", "“", "'a", "a.", "/", "@", "x_", "a:/"]) {
    expect(maskText(unit.repeat(200_000)).length).toBeLessThanOrEqual(20_000);
  }
});
