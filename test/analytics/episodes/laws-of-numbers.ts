import assert from "node:assert/strict";
import { EPISODE_KINDS } from "../../../analytics/episodes/types.ts";
import { type Laws, ofKind, total } from "./laws.ts";

/** Laws of METRICS.md sections 2 to 4: what the counts and costs of a run add up to. */
export const LAWS_OF_NUMBERS: Laws = {
  "turns and calls in another order give the same result"(run, settings, { episodesOf, countCalls }, shuffled) {
    const one = episodesOf(run, settings);
    const other = episodesOf(shuffled, settings);
    assert.deepEqual(other.episodes, one.episodes);
    assert.deepEqual(new Map([...other.roles].sort()), new Map([...one.roles].sort()));
    const sorted = (counts: object[]) => counts.map((count) => JSON.stringify(count)).sort();
    assert.deepEqual(sorted(countCalls(shuffled, other.roles)), sorted(countCalls(run, one.roles)));
  },

  "E > W is refused with both named, and so is a part of a turn"(_run, settings, { checkSettings }) {
    for (const eventualWindow of [1, 2, 3, 4]) {
      const check = () => checkSettings({ ...settings, eventualWindow });
      if (eventualWindow <= settings.linkWindow) check();
      else assert.throws(check, new RegExp(`\\(E\\) is ${eventualWindow} .*\\(W\\) is ${settings.linkWindow},`));
    }
    const half = () => checkSettings({ ...settings, linkWindow: 2, eventualWindow: 1.5 });
    assert.throws(half, /eventualWindow.* whole number .*got 1\.5/);
  },

  "first attempts + repair attempts + unpaired calls of unknown verdict = calls"(
    run,
    settings,
    { episodesOf, countCalls },
  ) {
    const { episodes, roles } = episodesOf(run, settings);
    const counts = countCalls(run, roles);
    const sum = (
      ...fields: (
        | "firstAccepted"
        | "firstRejected"
        | "repairAccepted"
        | "repairRejected"
        | "repairUnknown"
        | "unpairedUnknown"
        | "calls"
      )[]
    ) => total(counts.flatMap((count) => fields.map((field) => count[field])));
    const repairs = total(ofKind(episodes, "repair").map(({ attempts }) => attempts.length));
    assert.equal(sum("repairAccepted", "repairRejected", "repairUnknown"), repairs);
    assert.equal(sum("firstAccepted", "firstRejected") + repairs + sum("unpairedUnknown"), run.calls.length);
    assert.equal(sum("calls"), run.calls.length);
  },

  "rejected first attempts = repair episodes opened"(run, settings, { episodesOf, countCalls }) {
    const { episodes, roles } = episodesOf(run, settings);
    const rejected = total(countCalls(run, roles).map(({ firstRejected }) => firstRejected));
    assert.equal(rejected, ofKind(episodes, "repair").length);
  },

  "a run stands once, at its first call, and once for each of its tools, at the first call to that"(
    run,
    settings,
    { episodesOf, countCalls },
  ) {
    const counts = countCalls(run, episodesOf(run, settings).roles);
    const known = run.ended && run.outcome !== null;
    const stands = [1, run.ended, known, known && run.outcome === "completed"].map(Number);
    const earliest = Math.min(...run.calls.map(({ startedAt }) => startedAt));
    const standing = counts.filter(({ runs }) => runs > 0);
    assert.deepEqual(
      standing.map(({ runs, runsEnded, runsKnown, runsCompleted }) => [runs, runsEnded, runsKnown, runsCompleted]),
      run.calls.length === 0 ? [] : [stands],
    );
    assert.deepEqual(
      [...new Set(standing.map(({ firstCallAt }) => firstCallAt))],
      run.calls.length === 0 ? [] : [earliest],
    );
    for (const [tool, calls] of Map.groupBy(run.calls, (call) => call.tool)) {
      const own = counts.filter((count) => count.tool === tool && count.toolRuns > 0);
      assert.deepEqual(
        own.map((count) => [count.toolRuns, count.toolRunsEnded, count.toolRunsKnown, count.toolRunsCompleted]),
        [stands],
      );
      assert.equal(own[0]?.firstCallAt, Math.min(...calls.map(({ startedAt }) => startedAt)));
    }
  },

  "funnel rows sum to the settled episodes, each row one of the closed list"(run, settings, { episodesOf, isSettled }) {
    const now = new Date(run.lastReceivedAt);
    const settled = episodesOf(run, settings).episodes.filter((episode) => isSettled(episode, now));
    const repairedRows = Array.from({ length: settings.eventualWindow }, (_, index) => `repaired_turn_${index + 1}`);
    const unresolved = `unresolved_${run.outcome ?? "unknown"}`;
    const inRow = (row: string) => settled.filter(({ funnelRow }) => funnelRow === row).length;
    assert.equal(total([...repairedRows, "repaired_late", unresolved].map(inRow)), settled.length);
    assert.equal(total(repairedRows.map(inRow)), settled.filter(({ eventualRepair }) => eventualRepair).length);
    assert.equal(inRow("repaired_turn_1"), settled.filter(({ firstRepair }) => firstRepair).length);
    assert.equal(inRow("repaired_late"), settled.filter(({ lateRepair }) => lateRepair).length);
    assert.equal(inRow(unresolved), settled.filter(({ repaired }) => !repaired).length);
  },

  "every episode of a run has the run's outcome, unknown where it has none"(run, settings, { episodesOf }) {
    const outcomes = new Set(episodesOf(run, settings).episodes.map(({ terminalOutcome }) => terminalOutcome));
    outcomes.delete(run.outcome ?? "unknown");
    assert.deepEqual([...outcomes], []);
  },

  "attributed usage never exceeds what was spent, per kind and field"(run, settings, { episodesOf }) {
    const { episodes } = episodesOf(run, settings);
    for (const kind of EPISODE_KINDS) {
      const usages = ofKind(episodes, kind).map(({ attributed }) => attributed);
      for (const field of ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens"] as const) {
        assert.ok(
          total(usages.map((usage) => usage[field])) <= total(run.turns.map((turn) => turn[field])) + 1e-6,
          field,
        );
      }
      const validation = run.calls.filter(({ verdict }) => verdict === "rejected").map(({ durationMs }) => durationMs);
      const spent = total([...run.turns.map(({ durationMs }) => durationMs), ...validation]);
      assert.ok(total(usages.map(({ durationMs }) => durationMs)) <= spent + 1e-6, "durationMs");
      assert.ok(total(usages.map(({ modelTurns }) => modelTurns)) <= run.turns.length + 1e-9, "modelTurns");
    }
  },

  "an episode is handed out nothing before its opening or after its last attempt"(run, settings, { episodesOf }) {
    for (const { attributed, extraModelTurns, attempts } of episodesOf(run, settings).episodes) {
      assert.ok(attributed.modelTurns <= extraModelTurns + 1e-9);
      assert.ok(attributed.shares >= attempts.length && attributed.shares <= extraModelTurns);
      assert.ok(attributed.sharesWithInputTokens <= attributed.shares);
      assert.equal(attributed.inputTokens === null, attributed.sharesWithInputTokens === 0);
      assert.equal(attributed.outputTokens === null, attributed.sharesWithOutputTokens === 0);
    }
  },

  "an ended run is settled; a waiting one settles by age only, and only what is decided"(
    run,
    settings,
    { episodesOf },
  ) {
    for (const { settlesAt, decided, opening } of episodesOf(run, settings).episodes) {
      const byAge = decided ? opening.startedAt + settings.settleAfterSeconds * 1000 : Infinity;
      const bySilence = run.waiting ? Infinity : run.lastReceivedAt + settings.settleAfterSeconds * 1000;
      assert.equal(settlesAt, run.ended ? -Infinity : Math.min(byAge, bySilence));
    }
  },
};
