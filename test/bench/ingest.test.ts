import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { ingest } from "../../bench/ingest.ts";
import { CannotMeasure } from "../../bench/question.ts";
import { benchServer, smallOptions } from "./server.ts";

const server = await benchServer();
const psql = spawnSync("psql", ["--version"]).error === undefined;
if (server === null || !psql)
  process.stderr.write("skipped: the benchmark of ingest (no PostgreSQL or no psql found)\n");

describe.skipIf(server === null || !psql)("the benchmark of ingest", () => {
  afterAll(() => server?.close());

  test("every span that was sent is a row, by both ways, with and without work beside", async () => {
    const options = smallOptions(server!.url, 600);
    const { numbers, tables, promises } = await ingest.ask(options);
    // `ask` itself throws where the rows of a round are not as many as the spans.
    expect(numbers).toMatchObject({ spans: 8 * 512, rounds: { copy: [{}], off: [{}], on: [{}] } });
    const { share_of_copy } = numbers as { share_of_copy: Record<string, number> };
    for (const share of Object.values(share_of_copy)) expect(share).toBeGreaterThan(0);
    expect(tables.map(({ rows }) => rows.length)).toEqual([4]);
    expect(promises).toEqual([]);
    expect(options.said.join("\n")).toContain("Round 1 of 1");
  });
});

test("without a server nothing is measured, and it is said what is missing", async () => {
  const asked = ingest.ask(smallOptions("postgres://postgres@127.0.0.1:1/postgres", 600));
  await expect(asked).rejects.toThrow(CannotMeasure);
  await expect(asked).rejects.toThrow(psql ? /MULLIGAN_BENCH_DATABASE_URL/ : /psql is needed/);
});
