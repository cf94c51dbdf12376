/** The demo's texts and tools, by the real executor: what a slip brings, and what the new texts teach. */
import { TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import { type ErrorTexts, TERSE, WITH_CARELESS_EXAMPLE, WITH_EXAMPLE } from "../../demo/error-texts.ts";
import { backends, createExecutor } from "../../demo/executor.ts";
import { read } from "../../demo/model/reading.ts";
import { type Draft, draft, SLIPS } from "../../demo/model/slips.ts";
import { taskOf } from "../../demo/model/tasks.ts";
import { seeded } from "../../demo/random.ts";
import { type Shop, shopOf } from "../../demo/shop.ts";
import { inventedTime } from "../../demo/timeline.ts";
import { TOOLS } from "../../demo/tools/tools.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const KEY = "a key of at least sixteen bytes";
const tracer = new TracerProvider({ spanProcessors: [] }).getTracer("test");

interface Sent {
  /** Refused for its arguments: a carrier that fails has taken them. */
  readonly refused: boolean;
  readonly failed: boolean;
  readonly text: string;
}

/** Runs calls one after the other at one customer's shop, so that a refused call must have changed nothing. */
async function send(texts: ErrorTexts, release: "1" | "2", shop: Shop, ...calls: Draft[]): Promise<Sent[]> {
  const execute = createExecutor({ tools: TOOLS[release], texts, tracer, key: KEY });
  const sent: Sent[] = [];
  await backends.run({ shop, time: inventedTime(NOW), random: seeded("calm") }, async () => {
    for (const [index, call] of calls.entries()) {
      const done = (failed: boolean) => (text: string) =>
        sent.push({ failed, refused: failed && read(text, call).kind === "refused", text });
      await execute({ ...call, id: `call_${index}` }).then(done(false), ({ message }: Error) => done(true)(message));
    }
  });
  return sent;
}

/** Every right call of a hundred tasks that some slip may take the place of, with its shop. */
const rightCalls = Array.from({ length: 100 }, (_, index) => {
  const random = seeded(`task ${index}`);
  const shop = shopOf(random);
  const task = taskOf(random, shop, NOW);
  shop.exports.set("exp_12345678", { endsAt: NOW, fails: false });
  const memory = new Map([["create_export", { export_id: "exp_12345678" }]]);
  return task.stages.flat().map((goal) => ({ shop, tool: goal.tool, args: goal.args(memory) }));
}).flat();

for (const release of ["1", "2"] as const) {
  describe(`with schema ${release} of list_transactions`, () => {
    const cases = rightCalls.flatMap(({ shop, tool, args }) =>
      (SLIPS[tool] ?? []).map((slip) => ({ shop, tool, right: draft(tool, args), forms: slip.forms(args) })),
    );

    test("there are slips for every tool that can refuse", () => {
      expect(new Set(cases.map(({ tool }) => tool)).size).toBe(Object.keys(SLIPS).length);
    });

    test("both forms of every slip are refused, under either text, and the right call is accepted after them", async () => {
      for (const { shop, right, forms } of cases) {
        for (const texts of [TERSE, WITH_EXAMPLE]) {
          const sent = await send(texts, release, structuredClone(shop), ...forms, right);
          expect(
            sent.map(({ refused }) => refused),
            JSON.stringify([forms, right, sent]),
          ).toEqual([true, true, false]);
        }
      }
    });

    test("a call that a new text shows is accepted as it stands", async () => {
      let shown = 0;
      for (const { shop, forms } of cases) {
        const [refused] = await send(WITH_EXAMPLE, release, structuredClone(shop), forms[0]);
        const { teaches, instead } = read(refused!.text, forms[0]);
        expect(teaches, refused!.text).toBe(true);
        if (instead === undefined) continue;
        shown += 1;
        const [taken] = await send(WITH_EXAMPLE, release, structuredClone(shop), instead);
        expect(taken, JSON.stringify([forms[0], refused, instead])).toMatchObject({ refused: false });
      }
      expect(shown / cases.length).toBeGreaterThan(0.9);
    });
  });
}

test("a terse text teaches nothing", async () => {
  for (const { shop, tool, args } of rightCalls.slice(0, 100)) {
    for (const slip of SLIPS[tool] ?? []) {
      const [form] = slip.forms(args);
      const [refused] = await send(TERSE, "2", structuredClone(shop), form);
      expect(read(refused!.text, form)).toEqual({ kind: "refused", teaches: false });
    }
  }
});

test("the careless text of issue_credit shows a call that is refused; those of other tools stay as they are", async () => {
  for (const { shop, tool, args } of rightCalls) {
    for (const slip of SLIPS[tool] ?? []) {
      const [form] = slip.forms(args);
      const [careless] = await send(WITH_CARELESS_EXAMPLE, "2", structuredClone(shop), form);
      const { instead } = read(careless!.text, form);
      if (form.name === "issue_credit") {
        const [taken] = await send(WITH_CARELESS_EXAMPLE, "2", structuredClone(shop), instead!);
        expect(taken).toMatchObject({ refused: true });
      } else expect([careless]).toEqual(await send(WITH_EXAMPLE, "2", structuredClone(shop), form));
    }
  }
});

test("a denied host and a failing carrier are read as such, and only the new texts say whether a retry can help", async () => {
  const denied = draft("fetch_page", { url: "https://forum.example.net/sizes" });
  const shop = shopOf(seeded("shop"));
  expect(read((await send(TERSE, "2", shop, denied))[0]!.text, denied)).toEqual({ kind: "denied", teaches: false });
  expect(read((await send(WITH_EXAMPLE, "2", shop, denied))[0]!.text, denied)).toEqual({
    kind: "denied",
    teaches: true,
  });
  const track = draft("track_parcel", { parcel_id: shop.orders[0]!.parcelId });
  for (const texts of [TERSE, WITH_EXAMPLE]) {
    const sent = await send(texts, "2", shop, ...Array.from({ length: 200 }, () => track));
    const failed = sent.filter((one) => one.failed);
    expect(failed.length).toBeGreaterThan(5);
    for (const { text } of failed)
      expect(read(text, track)).toEqual({ kind: "unavailable", teaches: texts === WITH_EXAMPLE });
  }
});
