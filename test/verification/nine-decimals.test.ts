import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { billionths, decimalText } from "../../verification/nine-decimals.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function rounded(values: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    -- one row per value, in order
    select round(value::numeric, 9)::text as text
    from unnest(${values}::double precision[]) with ordinality as sent (value, place)
    order by place
  `.execute(database.db);
  return rows.map(({ text }) => text);
}

const ours = (values: readonly number[]): string[] => values.map((value) => decimalText(billionths(value)));

describe("billionths of a double are what Postgres rounds it to", () => {
  test.each([
    ["shares of a turn", [1 / 3, 2 / 3, 1 / 7, 6_500 / 3, 350 / 7, 0.1 + 0.2]],
    ["whole numbers and nothing", [0, -0, 1, 6_500, 23_712_000, 2 ** 53]],
    ["more digits than a numeric is made of", [1_234_567.123_456_789, 123_456_789.987_654]],
    ["exact halves at the last kept digit", [1_234_567_890_123.25, 1_234_567_890_123.75, 123_456_789_012_345.5]],
    ["exact halves at the ninth decimal", [0.000_000_000_5, 2 ** -11, 3 * 2 ** -11, 5 * 2 ** -10]],
    ["powers that carry over", [999_999_999_999_999.9, 0.999_999_999_999_999_9, 9.999_999_999_5]],
    ["very small and very large ones", [1e-9, 4.9e-10, 5e-324, 1e-15, 1e22, 1.7e25]],
    ["negative ones", [-1 / 3, -0.000_000_000_5, -2.5]],
  ])("%s", async (_, values) => {
    expect(ours(values)).toEqual(await rounded(values));
  });

  test("any double of a size that usage has", async () => {
    const value = fc.oneof(
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.tuple(fc.nat(10_000_000), fc.integer({ min: 1, max: 60 })).map(([whole, parts]) => whole / parts),
      fc.tuple(fc.nat(1_000_000), fc.integer({ min: 0, max: 40 })).map(([whole, power]) => whole / 2 ** power),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 200, maxLength: 400 }), async (values) => {
        expect(ours(values)).toEqual(await rounded(values));
      }),
      { numRuns: 30 },
    );
  });
});
