/** Chance from a seed: the same text gives the same numbers on every machine. */
import { hash } from "node:crypto";

export interface Random {
  /** A number from 0 up to, and without, 1. */
  next(): number;
  /** Whether something happens that does so in `share` of all cases. */
  chance(share: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  /** One of the choices, each as often as its weight has it. */
  weighted<T>(choices: readonly (readonly [choice: T, weight: number])[]): T;
}

const TWO_TO_32 = 2 ** 32;

/** sfc32 (Chris Doty-Humphrey, PractRand), its state taken from SHA-256 of the seed. */
export function seeded(seed: string): Random {
  const digest = hash("sha256", seed, "buffer");
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / TWO_TO_32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    chance: (share) => next() < share,
    whole,
    pick: (list) => list[whole(0, list.length - 1)]!,
    weighted(choices) {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [choice, weight] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      return choices.at(-1)![0];
    },
  };
}

/** Where a text stands between 0 and 1, evenly over many texts: what sticks to an id is decided by it. */
export function fractionOf(text: string): number {
  return hash("sha256", text, "buffer").readUInt32LE(0) / TWO_TO_32;
}
