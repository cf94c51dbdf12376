/**
 * What does an answer cost? The overview's and the funnel's answers at a million calls, beside the same numbers computed
 * from raw calls in one SQL statement, and beside the same answers at a thousand calls.
 */
import { type Kysely, sql } from "kysely";
import { databaseQuestions, type Questions } from "../analytics/questions/questions.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import type { Database } from "../database/schema.ts";
import { AS_OF, DAYS, LONGEST_RUN_SECONDS, linkCalls, makeCalls, TOOLS, tidy } from "./answers/data.ts";
import { compare, type NumberedGroup, numbersOf } from "./answers/numbers.ts";
import { rawNumbers } from "./answers/raw.ts";
import type { RawQuestion } from "./answers/raw-scope.ts";
import { type AnswersSize, type AskedRounds, answersResult } from "./answers/result.ts";
import { CALLS_PER_RUN } from "./answers/scenarios.ts";
import { withDatabase } from "./database.ts";
import { timed } from "./measure.ts";
import type { Question, QuestionOptions, Result } from "./question.ts";

const FEW_CALLS = 1_000;
const FULL_CALLS = 1_000_000;
const PROMISED_RATIO = 20;
const TABLES = [
  "call",
  "run_count",
  "episode",
  "call_day",
  "call_hour",
  "episode_day",
  "episode_hour",
  "cohort",
] as const;

export const answers: Question = {
  name: "answers",
  title: "Answers at a million calls",
  summary: "The overview's and the funnel's answers beside one SQL statement over raw calls.",
  fullCalls: FULL_CALLS,
  fullRounds: 5,
  ask: (options) => withDatabase(options.databaseUrl, ({ db, version }) => measureAnswers(options, db, version)),
};

interface Compared {
  readonly name: string;
  readonly raw: RawQuestion;
  answer(questions: Questions): Promise<NumberedGroup[]>;
  readonly promised: boolean;
}

const DAY = 24 * 60 * 60 * 1000;
const UNALIGNED = {
  from: new Date(AS_OF.getTime() - 20 * DAY + 17 * 60_000),
  to: new Date(AS_OF.getTime() - 13 * DAY),
};
const ALL_DAYS = { from: new Date(AS_OF.getTime() - DAYS * DAY), to: AS_OF };
const common = { asOf: AS_OF, longestRunSeconds: LONGEST_RUN_SECONDS };

async function funnelNumbers(questions: Questions, query: Parameters<Questions["funnel"]>[0]) {
  return [numbersOf((await questions.funnel(query)).overall)];
}

/** As the page asks: what the funnel says is shown first, and then the others are asked at the same time. */
async function overviewNumbers(questions: Questions) {
  const funnel = await questions.funnel({ last: `${DAYS}d` });
  const [{ tools }, { fingerprints }] = await Promise.all([
    questions.tools({ last: `${DAYS}d` }),
    questions.fingerprints({ last: `${DAYS}d`, limit: "15" }),
  ]);
  return [funnel.overall, ...tools, ...fingerprints].map(numbersOf);
}

const COMPARED: readonly Compared[] = [
  {
    name: "overview, 90 days",
    raw: { ...common, ...ALL_DAYS, groups: true },
    promised: true,
    answer: overviewNumbers,
  },
  {
    name: "overview, 90 days, counts only",
    raw: { ...common, ...ALL_DAYS, groups: true, countsOnly: true },
    promised: false,
    answer: overviewNumbers,
  },
  {
    name: "funnel, 90 days",
    raw: { ...common, ...ALL_DAYS, groups: false },
    promised: true,
    answer: (questions) => funnelNumbers(questions, { last: `${DAYS}d` }),
  },
  {
    name: "funnel, 7 days from minute to minute",
    raw: { ...common, ...UNALIGNED, groups: false },
    promised: false,
    answer: (questions) =>
      funnelNumbers(questions, { from: UNALIGNED.from.toISOString(), to: UNALIGNED.to.toISOString() }),
  },
  {
    name: "funnel, 90 days, one tool",
    raw: { ...common, ...ALL_DAYS, tool: TOOLS[0][0], groups: false },
    promised: false,
    answer: (questions) => funnelNumbers(questions, { last: `${DAYS}d`, tool: TOOLS[0][0] }),
  },
];

async function measureAnswers(options: QuestionOptions, db: Kysely<Database>, version: string): Promise<Result> {
  const { say, signal, rounds } = options;
  const runs = Math.ceil(options.calls / CALLS_PER_RUN);
  const making = await timed(() => makeCalls(db, runs, { say, signal }));
  say(`linking ${runs} runs ...`);
  const linking = await timed(() => linkCalls(db, signal));
  await tidy(db);
  const size: Omit<AnswersSize, "fewTables"> = {
    ...{ calls: runs * CALLS_PER_RUN, runs, few: FEW_CALLS, tables: await tableSizes(db) },
    ...{ makingMilliseconds: making.milliseconds, linkingMilliseconds: linking.milliseconds },
  };
  return withDatabase(options.databaseUrl, async (few) => {
    await makeCalls(few.db, FEW_CALLS / CALLS_PER_RUN, { say: () => {}, signal });
    await linkCalls(few.db, signal);
    await tidy(few.db);
    const asked: AskedRounds[] = [];
    for (const question of COMPARED) {
      say(`${question.name} ...`);
      asked.push(
        await measureOne(question, { db, few: few.db, rounds, signal, full: runs * CALLS_PER_RUN >= FULL_CALLS }),
      );
    }
    return answersResult(asked, { ...size, fewTables: await tableSizes(few.db) }, version);
  });
}

interface Place {
  readonly db: Kysely<Database>;
  /** A database with a thousand calls. */
  readonly few: Kysely<Database>;
  readonly rounds: number;
  readonly signal: AbortSignal;
  /** Whether there are as many calls as the promise speaks of. */
  readonly full: boolean;
}

/** @throws where a number differs: a fast answer that is wrong is none. */
async function measureOne(question: Compared, { db, few, rounds, signal, full }: Place): Promise<AskedRounds> {
  const questionsOf = (database: Kysely<Database>) =>
    databaseQuestions({ db: database, clock: () => AS_OF, projectId: DEFAULT_PROJECT_ID });
  const [many, thousand] = [questionsOf(db), questionsOf(few)];
  const { compared } = mustBeEqual(question, await question.answer(many), await rawNumbers(db, question.raw));
  mustBeEqual(question, await question.answer(thousand), await rawNumbers(few, question.raw));
  const times = { raw: [] as number[], answer: [] as number[], answerFew: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted();
    times.raw.push((await timed(() => rawNumbers(db, question.raw))).milliseconds);
    times.answer.push((await timed(() => question.answer(many))).milliseconds);
    times.answerFew.push((await timed(() => question.answer(thousand))).milliseconds);
  }
  return { name: question.name, ...times, compared, promised: question.promised && full ? PROMISED_RATIO : null };
}

function mustBeEqual(
  { name, raw: asked }: Compared,
  answered: readonly NumberedGroup[],
  raw: readonly NumberedGroup[],
) {
  const comparison = compare(answered, raw, asked);
  const { differences } = comparison;
  if (differences.length === 0) return comparison;
  throw new Error(
    `${name}: ${differences.length} numbers differ, so no time of theirs means anything:\n${differences.slice(0, 20).join("\n")}`,
  );
}

async function tableSizes(db: Kysely<Database>): Promise<AnswersSize["tables"]> {
  const sizes = await Promise.all(
    TABLES.map(async (name) => {
      const { rows } = await sql<{ rows: number; bytes: number }>`
        -- one row
        select
          (select count(*) from ${sql.table(name)})::float8 as rows,
          coalesce(
            (select sum(pg_total_relation_size(relid)) from pg_partition_tree(${name}::regclass) where isleaf),
            pg_total_relation_size(${name}::regclass)
          )::float8 as bytes
      `.execute(db);
      return { name, rows: rows[0]?.rows ?? 0, bytes: rows[0]?.bytes ?? 0 };
    }),
  );
  return sizes;
}
