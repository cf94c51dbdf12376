/** A run's answer as a timeline: a lane per model turn, its calls, and the links from each failed call to its attempts. Pure. */
import type { RunAnswer } from "../../../analytics/client/client.ts";

export type Turn = RunAnswer["turns"][number];
export type Call = RunAnswer["calls"][number];
export type Episode = RunAnswer["episodes"][number];
export type Kind = Episode["kind"];
export type Evidence = Episode["attempts"][number]["evidence"];

/** `3.0`: turn 3, first call of its batch. The name of a call within this answer; the address holds it too. */
export type Place = string;

export function placeOf({ turn, ordinal }: { readonly turn: number; readonly ordinal: number }): Place {
  return `${turn}.${ordinal}`;
}

/** An arrow: from the call that opened an episode to one of its attempts. */
export interface RepairLink {
  readonly from: Place;
  readonly to: Place;
  readonly fromTurn: number;
  readonly kind: Kind;
  readonly evidence: Evidence;
  /** 1 is the first attempt. */
  readonly attempt: number;
  /** This attempt ended the episode, repaired. */
  readonly resolves: boolean;
  /** Same call as the one before it in the episode; null where the digests cannot be compared. */
  readonly unchanged: boolean | null;
  /** Vertical line beside the lanes; episodes that overlap in turns stand on different ones. */
  readonly track: number;
}

export interface PlacedCall {
  readonly place: Place;
  readonly call: Call;
  /** Letter that all calls with this signature carry; null where no other call of the run has it. */
  readonly mark: string | null;
  /** The latest earlier call with this signature. */
  readonly repeatOf: Place | null;
  readonly opens: readonly Episode[];
  readonly answers: readonly RepairLink[];
}

export interface Lane {
  readonly turn: Turn;
  /** The run was resumed before this turn. */
  readonly resumed: boolean;
  readonly calls: readonly PlacedCall[];
  /** Something here that a reader of the run looks for: a failure, an attempt, a missing result, a resumption. */
  readonly eventful: boolean;
}

export interface Timeline {
  readonly lanes: readonly Lane[];
  /** Every call in the order of turns. */
  readonly calls: readonly PlacedCall[];
  readonly links: readonly RepairLink[];
  readonly tracks: number;
}

export function timelineOf({ turns, calls, episodes }: RunAnswer): Timeline {
  const signatures = signatureMarks(calls);
  const byPlace = new Map(calls.map((call) => [placeOf(call), call]));
  const trackOf = tracksOf(episodes);
  const links = episodes.flatMap((episode) => linksOf(episode, byPlace, trackOf.get(episode) ?? 0));
  const placed = calls.map((call): PlacedCall => {
    const place = placeOf(call);
    return {
      place,
      call,
      ...(signatures.get(call) ?? { mark: null, repeatOf: null }),
      opens: episodes.filter(({ opening }) => placeOf(opening) === place),
      answers: links.filter(({ to }) => to === place),
    };
  });
  const callsOf = Map.groupBy(placed, ({ call }) => call.turn);
  const inside = turnsInside(episodes);
  const lanes = turns.map((turn, index): Lane => {
    const before = turns[index - 1];
    const resumed = before !== undefined && before.leg !== turn.leg;
    const own = callsOf.get(turn.turn) ?? [];
    return { turn, resumed, calls: own, eventful: resumed || inside.has(turn.turn) || own.some(isEventful) };
  });
  return { lanes, calls: placed, links, tracks: Math.max(0, ...[...trackOf.values()].map((track) => track + 1)) };
}

function isEventful({ call, opens, answers }: PlacedCall): boolean {
  return call.verdict !== "accepted" || call.failure_class !== null || opens.length + answers.length > 0;
}

/** Turns between an opening call and its last attempt: what the model did in between belongs to the story. */
function turnsInside(episodes: readonly Episode[]): ReadonlySet<number> {
  const inside = new Set<number>();
  for (const { opening, attempts } of episodes) {
    for (let turn = opening.turn; turn <= (attempts.at(-1)?.turn ?? opening.turn); turn++) inside.add(turn);
  }
  return inside;
}

function linksOf(episode: Episode, byPlace: ReadonlyMap<Place, Call>, track: number): RepairLink[] {
  const chain = [episode.opening, ...episode.attempts].map((at) => byPlace.get(placeOf(at)));
  return episode.attempts.map((attempt, index) => ({
    from: placeOf(episode.opening),
    to: placeOf(attempt),
    fromTurn: episode.opening.turn,
    kind: episode.kind,
    evidence: attempt.evidence,
    attempt: index + 1,
    resolves: episode.repaired && index === episode.attempts.length - 1,
    unchanged: sameCall(chain[index], chain[index + 1]),
    track,
  }));
}

/** Digests say something about each other only under one key. */
function sameCall(one: Call | undefined, other: Call | undefined): boolean | null {
  if (one === undefined || other === undefined || one.signature === null || other.signature === null) return null;
  return one.key_id === other.key_id ? one.signature === other.signature : null;
}

/** Calls that occur more than once get a letter each, in the order in which they first occur. */
function signatureMarks(calls: readonly Call[]): Map<Call, { mark: string; repeatOf: Place | null }> {
  const signed = calls.filter(({ signature }) => signature !== null);
  const repeated = [...Map.groupBy(signed, ({ signature, key_id }) => JSON.stringify([key_id, signature])).values()];
  const marks = new Map<Call, { mark: string; repeatOf: Place | null }>();
  for (const [index, same] of repeated.filter(({ length }) => length > 1).entries()) {
    for (const [at, call] of same.entries()) {
      const before = same[at - 1];
      marks.set(call, { mark: letters(index), repeatOf: before === undefined ? null : placeOf(before) });
    }
  }
  return marks;
}

/** A … Z, AA, AB … */
function letters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest === 0 ? "" : letters(rest - 1)) + String.fromCharCode(65 + (index % 26));
}

/** The lowest track that is free from the opening call's turn to the last attempt's; episodes without attempts need none. */
function tracksOf(episodes: readonly Episode[]): ReadonlyMap<Episode, number> {
  const busyUntil: number[] = [];
  const tracks = new Map<Episode, number>();
  const linked = episodes.filter(({ attempts }) => attempts.length > 0);
  for (const episode of linked.toSorted((a, b) => a.opening.turn - b.opening.turn)) {
    const free = busyUntil.findIndex((turn) => turn <= episode.opening.turn);
    const track = free === -1 ? busyUntil.length : free;
    busyUntil[track] = episode.attempts.at(-1)!.turn;
    tracks.set(episode, track);
  }
  return tracks;
}
