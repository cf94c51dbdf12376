import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { inventedTime, realTime } from "../../demo/timeline.ts";

const START = Date.parse("2026-03-10T12:00:00Z");

test("invented time passes while all sleep, at once, and wakes them in the order of their ends", async () => {
  const time = inventedTime(START);
  const woken: [string, number][] = [];
  const sleep = async (name: string, ...naps: number[]) => {
    for (const nap of naps) {
      await time.sleep(nap);
      woken.push([name, time.now() - START]);
    }
  };
  await Promise.all([sleep("long", 3_600_000), sleep("twice", 100, 250), sleep("short", 200)]);
  expect(woken).toEqual([
    ["twice", 100],
    ["short", 200],
    ["twice", 350],
    ["long", 3_600_000],
  ]);
});

test("whoever sleeps in real time wakes when the demo is stopped", async () => {
  const stopping = new AbortController();
  const time = realTime(() => new Date(), stopping.signal);
  const asleep = time.sleep(60_000);
  stopping.abort();
  await Promise.race([asleep, pause(5_000).then(() => expect.unreachable("it slept on"))]);
  await time.sleep(60_000);
});
