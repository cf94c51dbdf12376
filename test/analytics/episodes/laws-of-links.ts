import assert from "node:assert/strict";
import type { CountedRun } from "../../../analytics/episodes/count.ts";
import { EPISODE_KINDS, type Episode, type EpisodeKind, type LinkSettings } from "../../../analytics/episodes/types.ts";
import { type Laws, members, ofKind } from "./laws.ts";

const CLASSES: Readonly<Record<EpisodeKind, readonly (string | null)[]>> = {
  repair: ["malformed", "schema", "unknown_tool", "tool_input"],
  recovery: ["execution", "timeout", "cancelled", "output_invalid", "unclassified"],
  denial: ["denied"],
};

/** The numbers of turns in which windows are counted, found without the product's code. */
function linkTurnsOf(run: CountedRun, basis: LinkSettings["turnBasis"]): number[] {
  return run.turns
    .map(({ turn }) => turn)
    .filter((turn) => basis === "model" || run.calls.some((call) => call.turn === turn));
}

/** Laws of METRICS.md section 2: who repairs whom. */
export const LAWS_OF_LINKS: Laws = {
  "one call stands in at most one episode of a kind"(run, settings, { episodesOf }) {
    const { episodes } = episodesOf(run, settings);
    for (const kind of EPISODE_KINDS) {
      const keys = ofKind(episodes, kind)
        .flatMap(members)
        .map(({ key }) => key);
      assert.equal(new Set(keys).size, keys.length);
    }
  },

  "an attempt stands after the one before, at most W link turns later"(run, settings, { episodesOf }) {
    const turns = linkTurnsOf(run, settings.turnBasis);
    for (const episode of episodesOf(run, settings).episodes) {
      const places = members(episode).map(({ turn }) => turns.indexOf(turn));
      for (const [index, place] of places.slice(1).entries()) {
        const distance = place - places[index]!;
        assert.ok(distance >= 1 && distance <= settings.linkWindow, `distance ${distance}`);
      }
    }
  },

  "every failed call opens an episode of its kind or is an attempt of one"(run, settings, { episodesOf }) {
    const { episodes } = episodesOf(run, settings);
    for (const kind of EPISODE_KINDS) {
      const failed = run.calls.filter(({ failureClass }) => CLASSES[kind].includes(failureClass));
      const linked = new Set(
        ofKind(episodes, kind)
          .flatMap(members)
          .map(({ key }) => key),
      );
      assert.deepEqual(
        failed.filter(({ key }) => !linked.has(key)),
        [],
      );
      const openings = ofKind(episodes, kind).map(({ opening }) => opening.failureClass);
      assert.deepEqual(
        openings.filter((failureClass) => !CLASSES[kind].includes(failureClass)),
        [],
      );
    }
  },

  "only an accepted call repairs, it repairs at once, and it is the last attempt"(run, settings, { episodesOf }) {
    for (const episode of ofKind(episodesOf(run, settings).episodes, "repair")) {
      const verdicts = episode.attempts.map(({ call }) => call.verdict);
      assert.equal(episode.repaired, verdicts.at(-1) === "accepted");
      assert.ok(!verdicts.slice(0, -1).includes("accepted"));
    }
  },

  "an attempt calls the same tool, or repairs an unknown one by a link or an equal argument"(
    run,
    settings,
    { episodesOf },
  ) {
    for (const { opening, attempts } of episodesOf(run, settings).episodes) {
      for (const { call, evidence } of attempts) {
        if (call.linkTool === opening.linkTool) continue;
        assert.equal(opening.failureClass, "unknown_tool");
        assert.equal(call.verdict, "accepted");
        assert.notEqual(evidence, "order");
      }
    }
  },

  "no call of a tool is left unpaired in a turn in which an open episode of that tool is"(
    run,
    settings,
    { episodesOf },
  ) {
    const turns = linkTurnsOf(run, settings.turnBasis);
    for (const kind of EPISODE_KINDS) {
      const episodes = ofKind(episodesOf(run, settings).episodes, kind);
      const paired = new Set(episodes.flatMap(({ attempts }) => attempts.map(({ call }) => call.key)));
      for (const call of run.calls.filter(({ key }) => !paired.has(key))) {
        const waiting = episodes.filter((episode) => {
          const before = members(episode).filter(({ turn }) => turn < call.turn);
          const last = before.at(-1);
          if (last === undefined || episode.opening.linkTool !== call.linkTool) return false;
          const resolved = episode.repaired && before.length === members(episode).length;
          const inWindow = turns.indexOf(call.turn) - turns.indexOf(last.turn) <= settings.linkWindow;
          const busy = members(episode).some(({ turn }) => turn === call.turn);
          return inWindow && !resolved && !busy;
        });
        assert.deepEqual(waiting, []);
      }
    }
  },

  "later turns change no link between earlier ones, and nothing of a decided episode's attempts"(
    run,
    settings,
    { episodesOf },
  ) {
    const { episodes } = episodesOf(run, settings);
    for (const { turn: end } of run.turns) {
      const turns = run.turns.filter(({ turn }) => turn < end);
      const calls = run.calls.filter(({ turn }) => turn < end);
      const earlier = episodesOf({ ...run, turns, calls }, settings).episodes;
      const links = (of: readonly Episode[]) =>
        of
          .filter(({ opening }) => opening.turn < end)
          .map((episode) => [
            episode.kind,
            members(episode)
              .map(({ key }) => key)
              .filter((key) => calls.some((call) => call.key === key)),
          ]);
      assert.deepEqual(links(earlier), links(episodes));
      for (const episode of earlier.filter(({ decided }) => decided)) {
        const now = episodes.find(({ kind, opening }) => kind === episode.kind && opening.key === episode.opening.key);
        assert.equal(now?.decided, true);
        assert.equal(now.attempts.length, episode.attempts.length);
      }
    }
  },

  "digests under different keys are never compared"(run, settings, { episodesOf }) {
    const unsigned = run.calls.map((call) => ({ ...call, keyId: `key of ${call.key}` }));
    for (const episode of episodesOf({ ...run, calls: unsigned }, settings).episodes) {
      assert.ok(episode.attempts.every(({ evidence }) => evidence !== "digest"));
      assert.equal(episode.targetedChange, null);
      assert.notEqual(episode.unchangedRepeat, true);
      assert.notEqual(episode.unchangedRepeatLater, true);
      assert.equal(episode.unchangedSteps, 0);
    }
  },

  "in turn basis tool_calling, a turn without a call changes no link"(run, settings, { episodesOf }) {
    const basis = { ...settings, turnBasis: "tool_calling" as const };
    const apart = {
      ...run,
      turns: run.turns.flatMap((turn) => [
        { ...turn, turn: turn.turn * 2 },
        { ...turn, turn: turn.turn * 2 + 1 },
      ]),
      calls: run.calls.map((call) => ({ ...call, turn: call.turn * 2 })),
    };
    const linked = (of: CountedRun) =>
      episodesOf(of, basis).episodes.map((episode) => [
        members(episode).map(({ key }) => key),
        episode.repairTurns,
        episode.decided,
      ]);
    assert.deepEqual(linked(apart), linked(run));
  },
};
