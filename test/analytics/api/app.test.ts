import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiApp } from "../../../analytics/api/app.ts";
import { ApiError, clientQuestions } from "../../../analytics/client/client.ts";
import { METRICS } from "../../../analytics/metrics/index.ts";
import type { FunnelAnswer } from "../../../analytics/questions/answer.ts";
import { databaseQuestions } from "../../../analytics/questions/questions.ts";
import type { RunAnswer } from "../../../analytics/questions/run-answer.ts";
import type { SummaryAnswer } from "../../../analytics/questions/summary-answer.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { clock, countRow, episodeRow, fill, PROJECT, REPAIRED_NEXT_TURN, runRow } from "../../support/rows.ts";

let database: TestDatabase;
let app: ReturnType<typeof apiApp>;

beforeAll(async () => {
  database = await openTestDatabase();
  app = apiApp({ db: database.db, clock, projectId: PROJECT });
  await fill(database.db, {
    runs: [runRow({ run_id: "tau/3/0", run_key: "3/0", calls: 0 })],
    counts: [
      countRow({ run_id: "a", first_accepted: 9 }),
      countRow({ run_id: "a", first_rejected: 1, failure_class: "schema", fingerprint: "x:y:z" }),
    ],
    episodes: [episodeRow({ run_id: "a", fingerprint: "x:y:z", ...REPAIRED_NEXT_TURN })],
  });
});
afterAll(() => database.close());

async function get<Body>(path: string): Promise<{ status: number; body: Body }> {
  const response = await app.request(path);
  return { status: response.status, body: (await response.json()) as Body };
}
type Refusal = { errors: { field: string; message: string }[] };

describe("the API", () => {
  test.each(["funnel", "tools", "fingerprints", "summary"])(
    "answers /%s with rates and terminal outcomes together",
    async (name) => {
      const { status, body } = await get<FunnelAnswer & SummaryAnswer>(`/api/v1/${name}`);
      expect(status).toBe(200);
      const whole: Pick<FunnelAnswer["overall"], "terminal_outcomes"> & Pick<SummaryAnswer, "rates"> =
        name === "summary" ? body : body.overall;
      expect(whole.rates.first_repair_rate).toMatchObject({
        numerator: 1,
        denominator: 1,
        value: 1,
        pending: 0,
      });
      expect(whole.terminal_outcomes.completed).toMatchObject({ numerator: 1, denominator: 1 });
      expect(body).toMatchObject({
        as_of: clock().toISOString(),
        settings: { W: 2, E: 2 },
        turn_basis: "model",
        runs_waiting: 0,
      });
    },
  );

  test("defaults to the last seven days", async () => {
    const { body } = await get<FunnelAnswer>("/api/v1/funnel");
    expect(body.scope).toMatchObject({ from: "2026-03-03T12:00:00.000Z", to: "2026-03-10T12:00:00.000Z" });
  });

  test("takes a parameter once, repeated, or with commas alike", async () => {
    const [once, repeated, commas] = await Promise.all([
      get<FunnelAnswer>("/api/v1/funnel?tool=search"),
      get<FunnelAnswer>("/api/v1/funnel?tool=search&tool=book"),
      get<FunnelAnswer>("/api/v1/funnel?tool=search,book"),
    ]);
    expect(once.body.overall.first_attempts.total).toBe(10);
    expect(repeated.body).toEqual(commas.body);
  });

  test.each([
    ["/api/v1/funnel?grup_by=tool", "grup_by", /"grup_by" is no parameter\. Did you mean group_by\?/],
    ["/api/v1/funnel?group_by=tols", "group_by", /Did you mean group_by=tool\?/],
    ["/api/v1/tools?last=week", "last", /last is "week", expected a number followed by m, h or d.*Example: last=24h/],
    ["/api/v1/summary?last=1d&last=2d", "last", /A parameter that takes one value may stand only once/],
    ["/api/v1/fingerprints?limit=1000", "limit", /from 1 to 200/],
    ["/api/v1/tools?limit=1&limit=2", "limit", /stand only once\. Example: limit=50$/],
    ["/api/v1/funnel?kind=repair&kind=denial", "kind", /stand only once\. Example: kind=repair$/],
    ["/api/v1/timeline?group_by=tool", "group_by", /group_by is a parameter of other questions, not of this one/],
    ["/api/v1/timeline?bucket=hour&bucket=day", "bucket", /stand only once\. Example: bucket=day$/],
    ["/api/v1/timeline?last=90d&bucket=hour", "bucket", /2160 parts, at most 500.*send bucket=day/],
    ["/api/v1/values?limit=5", "limit", /limit is a parameter of other questions/],
    ["/api/v1/episodes?row=unresolved_failing", "row", /Did you mean row=unresolved_failed\?/],
    ["/api/v1/episodes?rows=undecided", "rows", /"rows" is no parameter\. Did you mean row\?/],
    ["/api/v1/episodes?before=x", "before", /send the value of next from the answer before/],
    ["/api/v1/runs?kind=repair", "kind", /kind is a parameter of other questions/],
    ["/api/v1/runs?state=settled", "state", /state is a parameter of other questions/],
    ["/api/v1/summary?group_by=tool", "group_by", /group_by is a parameter of other questions, not of this one/],
    ["/api/v1/funnel?tool=%00", "tool", /NUL character/],
    ["/api/v1/funnel?tool=a%00b", "tool", /tool is "a\?b" with a NUL character/],
    ["/api/v1/runs/%00", "id", /NUL character/],
    ["/api/v1/runs/a%00b", "id", /id is "a\?b" with a NUL character/],
    ["/api/v1/tools?tool=", "tool", /tool is empty/],
    ["/api/v1/funnel?from=2026-02-30", "from", /2026-02-30 is no day of the calendar/],
  ])("%s is refused with the field, what came and what to send", async (path, field, message) => {
    const { status, body } = await get<Refusal>(path);
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ field, message: expect.stringMatching(message) }]);
  });

  test("a run is found by id and by run key; an unknown one is 404 with where ids stand", async () => {
    expect((await get<RunAnswer>("/api/v1/runs/tau%2F3%2F0")).body.run.run_id).toBe("tau/3/0");
    expect((await get<RunAnswer>("/api/v1/runs/3%2F0")).body.run.run_id).toBe("tau/3/0");
    const { status, body } = await get<Refusal>("/api/v1/runs/nobody");
    expect(status).toBe(404);
    expect(body.errors[0]).toMatchObject({
      field: "id",
      message: expect.stringMatching(/"nobody".*mulligan\.run\.id/),
    });
  });

  test("lists every metric with its meaning", async () => {
    const { body } = await get<{ metrics: { name: string }[] }>("/api/v1/metrics");
    expect(body.metrics.map(({ name }) => name)).toEqual(METRICS.map(({ name }) => name));
  });

  test("answers 503 with Retry-After while the database is away", async () => {
    const away = await openTestDatabase();
    const behind = apiApp({ db: away.db, clock, projectId: PROJECT });
    await away.close();
    const response = await behind.request("/api/v1/funnel");
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
  });
});

describe("the typed client", () => {
  const client = () =>
    clientQuestions({
      url: "http://mulligan.test",
      fetch: (async (...asked: Parameters<typeof app.request>) => app.request(...asked)) as typeof fetch,
    });

  test("gives the same answers as the database itself", async () => {
    const direct = databaseQuestions({ db: database.db, clock, projectId: PROJECT });
    const query = { last: "all", group_by: ["tool", "fingerprint"], risk: "read" };
    expect(await client().funnel(query)).toEqual(await direct.funnel(query));
    expect(await client().tools(query)).toEqual(await direct.tools(query));
    expect(await client().fingerprints(query)).toEqual(await direct.fingerprints(query));
    const { group_by: _, ...whole } = query;
    expect(await client().summary(whole)).toEqual(await direct.summary(whole));
    expect(await client().timeline(whole)).toEqual(await direct.timeline(whole));
    expect(await client().values(whole)).toEqual(await direct.values(whole));
    const listed = { ...whole, row: ["repaired_turn_1", "undecided"], limit: "1" };
    expect(await client().episodes(listed)).toEqual(await direct.episodes(listed));
    expect((await client().episodes(listed)).total).toBe(1);
    const { risk: _risk, ...runs } = { ...whole, outcome: "completed", limit: "1" };
    const page = await client().runs(runs);
    expect(page).toEqual(await direct.runs(runs));
    expect(await client().runs({ ...runs, before: page.next! })).toEqual(
      await direct.runs({ ...runs, before: page.next! }),
    );
    expect(await client().run("3/0")).toEqual(await direct.run("3/0"));
    expect(await client().run("nobody")).toBeNull();
  });

  test("throws what the server says of a wrong question, with its field", async () => {
    await expect(client().funnel({ kind: "repairs" })).rejects.toThrow(
      expect.objectContaining({ status: 400, field: "kind" }),
    );
  });

  test("says which server does not answer", async () => {
    const nobody = clientQuestions({ url: "http://127.0.0.1:1" });
    await expect(nobody.funnel({})).rejects.toThrow(/http:\/\/127\.0\.0\.1:1 does not answer/);
    await expect(nobody.funnel({})).rejects.toBeInstanceOf(ApiError);
  });

  test("names the variable where the server asks for a token", async () => {
    const closed = clientQuestions({
      url: "http://mulligan.test",
      fetch: (async () => new Response("{}", { status: 401 })) as typeof fetch,
    });
    await expect(closed.funnel({})).rejects.toThrow(/set MULLIGAN_READ_TOKEN/);
  });
});
