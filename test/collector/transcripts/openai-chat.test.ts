import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answers, calls, callsOf, outcomeOf, readTranscript, rulesOf, says, signer, turnsOf, user } from "./reading.ts";

const ERRORS = rulesOf({ text: "^Error", class: "tool_input" });

async function onlyRun(messages: readonly object[], options = {}) {
  const { runs, broken } = await readTranscript({ messages }, options);
  expect(broken).toEqual([]);
  expect(runs).toHaveLength(1);
  return runs[0]!;
}

describe("turns", () => {
  test("every assistant message is one model turn, text-only ones included, numbered from 0", async () => {
    const run = await onlyRun([
      user("hello"),
      says("which day?"),
      user("monday"),
      calls(["a", "book", "{}"], ["b", "book", "{}"]),
      answers("a", "1"),
      answers("b", "2"),
      says("done"),
    ]);
    expect(turnsOf(run).map((turn) => turn.turn)).toEqual([0, 1, 2]);
    expect(callsOf(run).map(({ proposal }) => [proposal.turn, proposal.ordinal])).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  test("usage is the response's own: absent is not known, and 0 output beside text is not known either", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };
    const run = await onlyRun([
      { ...says("a"), usage },
      says("b"),
      { ...says("c"), usage: { prompt_tokens: 5, completion_tokens: 0 } },
      { ...says(""), usage: { prompt_tokens: -1, completion_tokens: 0 } },
    ]);
    expect(turnsOf(run)).toMatchObject([
      { input_tokens: 100, cached_input_tokens: 60, output_tokens: 7 },
      {},
      { input_tokens: 5 },
      { output_tokens: 0 },
    ]);
    const stated = turnsOf(run).map((turn) => Object.keys(turn).filter((key) => key.endsWith("tokens")).length);
    expect(stated).toEqual([3, 0, 1, 1]);
  });

  test("the run's model is the first that a response or the file names", async () => {
    expect((await onlyRun([says("a"), { ...says("b"), model: "gpt-4o" }])).model).toBe("gpt-4o");
    const { runs } = await readTranscript({ model: "gpt-5", messages: [says("a")] });
    expect(runs[0]!.model).toBe("gpt-5");
    expect(turnsOf(runs[0]!)[0]!.model).toBe("gpt-5");
  });
});

describe("pairing", () => {
  test("a reused id belongs to the latest call before the result that has none yet", async () => {
    const run = await onlyRun(
      [
        calls(["x", "book", '{"n":1}']),
        answers("x", "Error: one"),
        calls(["x", "book", '{"n":2}'], ["x", "book", '{"n":3}']),
        answers("x", "three"),
        answers("x", "Error: two"),
      ],
      { rules: ERRORS },
    );
    expect(callsOf(run).map(({ result }) => result?.failure_class ?? "ok")).toEqual(["tool_input", "tool_input", "ok"]);
    expect(run.orphanResults).toEqual([]);
  });

  test("without ids results go to the calls of the latest turn in order, and a call that stayed open takes none of them", async () => {
    const proposed = (name: string) => ({ role: "assistant", tool_calls: [{ function: { name, arguments: "{}" } }] });
    const two = {
      role: "assistant",
      tool_calls: [{ function: { name: "b", arguments: "{}" } }, { function: { name: "b", arguments: "{}" } }],
    };
    const run = await onlyRun(
      [proposed("b"), user("never mind"), two, { role: "tool", content: "ok" }, { role: "tool", content: "Error" }],
      { rules: ERRORS },
    );
    expect(callsOf(run).map(({ result }) => (result === undefined ? null : result.verdict))).toEqual([
      null,
      "accepted",
      "rejected",
    ]);
  });

  test("the legacy function_call is paired with its function message", async () => {
    const run = await onlyRun(
      [
        { role: "assistant", content: null, function_call: { name: "book", arguments: '{"n":1}' } },
        { role: "function", name: "book", content: "Error: full" },
      ],
      { rules: ERRORS },
    );
    const [call] = callsOf(run);
    expect(call!.proposal).toMatchObject({ tool: "book", signature: signer.sign("book", '{"n":1}').signature });
    expect(call!.proposal.call_id).toBeUndefined();
    expect(call!.result).toMatchObject({ failure_class: "tool_input", verdict: "rejected" });
  });

  test("a result without a call is an orphan with its place, and changes no call", async () => {
    const run = await onlyRun([
      calls(["a", "book", "{}"]),
      answers("b", "secret-result"),
      answers("a", "1"),
      answers("a", "2"),
    ]);
    expect(run.orphanResults).toHaveLength(2);
    expect(run.orphanResults[0]!.message).toContain("message 1");
    expect(JSON.stringify(run.orphanResults)).not.toContain("secret-result");
    expect(callsOf(run).filter(({ result }) => result !== undefined)).toHaveLength(1);
  });

  test("a call without a result says nothing of a verdict", async () => {
    const [call] = callsOf(await onlyRun([calls(["a", "book", "{}"]), says("hm")]));
    expect(call!.result).toBeUndefined();
    expect(call!.proposal.verdict).toBeUndefined();
    expect(call!.proposal.has_result).toBe(false);
  });
});

describe("failures", () => {
  const failure = async (text: string, rules = ERRORS, args = "{}") => {
    const run = await onlyRun([calls(["a", "book", args]), answers("a", text)], { rules });
    return callsOf(run)[0]!;
  };

  test("rules decide before a framework's own texts, and what neither knows is a success", async () => {
    const none = rulesOf();
    expect((await failure("Error: no seats")).result).toMatchObject({
      failure_class: "tool_input",
      verdict: "rejected",
    });
    expect((await failure("Type validation failed: x", none)).result).toMatchObject({ failure_class: "schema" });
    expect((await failure("JSON parsing failed: x", none)).result).toMatchObject({ failure_class: "malformed" });
    expect((await failure("Error: no seats", none)).result).toMatchObject({ verdict: "accepted" });
    const denied = rulesOf({ text: "validation failed", class: "denied" });
    expect((await failure("Type validation failed: x", denied)).result).toMatchObject({
      failure_class: "denied",
      verdict: "unknown",
    });
  });

  test("the AI SDK's prefix is looked behind, and means a schema error where nothing known follows", async () => {
    const none = rulesOf();
    expect((await failure("Invalid input for tool book: JSON parsing failed: x", none)).result).toMatchObject({
      failure_class: "malformed",
    });
    expect((await failure("Invalid input for tool book: who knows", none)).result).toMatchObject({
      failure_class: "schema",
    });
  });

  test("a fingerprint holds the rule's parameter and category, else a keyed shape of the text", async () => {
    const full = rulesOf({ text: "^Error", class: "tool_input", parameter: "start", category: "date_format" });
    expect((await failure("Error: no", full)).result!.fingerprint).toBe("invalid:start:date_format");
    const captured = rulesOf({ text: "argument '(?<parameter>[^']+)'", class: "schema", category: "missing" });
    const withEnd = JSON.stringify({ end: "x" });
    expect((await failure("argument 'end' missing", captured, withEnd)).result!.fingerprint).toBe(
      "invalid:end:missing",
    );
    expect((await failure("argument 'hunter2' missing", captured, withEnd)).result!.fingerprint).toBe(
      "invalid:*:missing",
    );
    expect((await failure("argument 'in 3 days' missing", captured)).result!.fingerprint).toBe("invalid:$:missing");
    expect((await failure("Error: no")).result!.fingerprint).toMatch(/^invalid:\$:text_[0-9a-f]{8}$/);
  });

  test("texts that differ in values only have one shape, others have others", async () => {
    const shape = async (text: string) => (await failure(text)).result!.fingerprint;
    const first = await shape("Error: flight HAT030 not available on date 2024-05-13");
    expect(await shape("Error: flight HAT290 not available on date 2024-05-01")).toBe(first);
    expect(await shape("Error: flight 'x y' not available on date 7")).toBe(first);
    expect(await shape("Error: gift card balance is not enough")).not.toBe(first);
  });

  test("the 201st shape of a tool is counted as other", async () => {
    const words = Array.from({ length: 205 }, (_, index) =>
      [..."abcdefgh"].map((letter, at) => ((index >> at) & 1 ? letter : "")).join(""),
    );
    const messages = words.flatMap((word, at) => [
      calls([`c${at}`, "book", "{}"]),
      answers(`c${at}`, `Error: x${word}`),
    ]);
    const run = await onlyRun(messages, { rules: ERRORS });
    const shapes = new Set(callsOf(run).map(({ result }) => result!.fingerprint));
    expect(shapes.size).toBe(201);
    expect(shapes).toContain("invalid:$:text_other");
  });

  test("malformed arguments are told apart: no JSON, and JSON that is no object", async () => {
    const malformed = rulesOf({ text: "^Error", class: "malformed" });
    expect((await failure("Error", malformed, '{"a":')).result!.fingerprint).toBe("malformed:$:malformed_json");
    expect((await failure("Error", malformed, "[1]")).result!.fingerprint).toBe("malformed:$:not_object");
  });

  test("only the first 20,000 characters of a text are matched", async () => {
    const late = rulesOf({ text: "late", class: "execution" });
    expect((await failure(`${"x".repeat(19_000)} late`, late)).result).toMatchObject({ failure_class: "execution" });
    expect((await failure(`${"x".repeat(21_000)} late`, late)).result).toMatchObject({ verdict: "accepted" });
  });

  test("a tool that does not exist keeps no name, in the proposal nor in the result", async () => {
    const run = await onlyRun([calls(["a", "invented_secret", "{}"]), answers("a", "Unknown action invented_secret")]);
    const [call] = callsOf(run);
    const requested = signer.digest("tool", "invented_secret");
    for (const record of [call!.proposal, call!.result!]) expect(record).toMatchObject({ tool: "_unknown", requested });
    expect(call!.result).toMatchObject({ failure_class: "unknown_tool", fingerprint: "unknown_tool:$:unknown_tool" });
  });
});

describe("what may be stored", () => {
  test("no argument, text, result, id that is a sentence, or undeclared name is in any line", async () => {
    const secret = (n: number) => `sesame-${n}`;
    const { runs } = await readTranscript(
      {
        id: `key ${secret(0)}`,
        model: `a model ${secret(1)}`,
        messages: [
          user(secret(2)),
          { ...calls([`id ${secret(3)}`, "book", `{"${secret(4)}":"${secret(5)}"}`]), content: secret(6) },
          answers(`id ${secret(3)}`, `Error: ${secret(7)}`),
          calls(["b", `do ${secret(8)}`, secret(9)]),
          answers("b", secret(10)),
          { role: secret(11), content: secret(12) },
        ],
      },
      { rules: ERRORS },
    );
    expect(JSON.stringify(runs)).not.toContain("sesame");
    expect(callsOf(runs[0]!)).toHaveLength(2);
  });

  test("argument digests carry declared names only: those of the file's schemas, or that a rule names", async () => {
    const messages = [calls(["a", "book", '{"start":"x","zeta":1}']), answers("a", "Error: no")];
    const names = (run: Parameters<typeof callsOf>[0]) =>
      callsOf(run)[0]!.proposal.argument_digests!.map((digest) => digest.split("=")[0]);
    expect(names(await onlyRun(messages, { rules: ERRORS }))).toEqual(["*", "*"]);
    const naming = rulesOf({ text: "^Error", class: "tool_input", parameter: "start" });
    expect(names(await onlyRun(messages, { rules: naming }))).toEqual(["*", "start"]);
    const tools = [{ type: "function", function: { name: "book", parameters: { properties: { zeta: {} } } } }];
    const { runs } = await readTranscript({ messages, tools });
    expect(names(runs[0]!)).toEqual(["*", "zeta"]);
  });

  test("signatures come from the raw text, and from parsed arguments where a file has only those", async () => {
    const raw = callsOf(await onlyRun([calls(["a", "add", '{ "n": 9007199254740993 }'])]))[0]!.proposal;
    expect(raw.signature).toBe(signer.sign("add", '{"n":9007199254740993}').signature);
    const parsed = { role: "assistant", tool_calls: [{ id: "a", function: { name: "add", arguments: { n: 1 } } }] };
    expect(callsOf(await onlyRun([parsed]))[0]!.proposal).toMatchObject({
      signature: signer.sign("add", '{"n":1.0}').signature,
      parsed_source: true,
    });
  });
});

describe("files", () => {
  const one = [user("hi"), calls(["a", "book", "{}"]), answers("a", "1")];
  const shapeOf = async (content: string | object, file = "chat.json") => {
    const { runs, broken } = await readTranscript(content, { file });
    return { runs: runs.map((run) => [run.key, run.lines.length]), broken: broken.map((place) => place.line) };
  };

  test("one run as an object, a list, messages line by line, or a τ-bench trajectory", async () => {
    const lines = one.map((message) => JSON.stringify(message)).join("\n");
    for (const content of [{ messages: one }, one, [one], lines, [{ messages: one }], { traj: one }]) {
      const { runs, broken } = await shapeOf(content);
      expect(broken).toEqual([]);
      expect(runs).toHaveLength(1);
      expect(runs[0]![1]).toBe(4);
    }
  });

  test("many runs as an array or as JSON Lines of objects or of lists", async () => {
    const second = [...one, says("bye")];
    for (const content of [
      [{ messages: one }, { messages: second }],
      [one, second],
      `${JSON.stringify(one)}\n${JSON.stringify(second)}\n`,
      `${JSON.stringify({ messages: one })}\n${JSON.stringify({ traj: second })}`,
    ]) {
      expect((await shapeOf(content)).runs.map(([, lines]) => lines)).toEqual([4, 5]);
    }
  });

  test("a run's key is the file's own, exact beyond 2^53; without one it is made of file, place and beginning", async () => {
    const keys = async (content: string | object) =>
      (await shapeOf(content, "my chats.jsonl")).runs.map(([key]) => String(key));
    expect(await keys({ task_id: 7, trial: 2, traj: one })).toEqual(["7/2"]);
    expect(await keys({ run_id: "r-1", id: "other", messages: one })).toEqual(["r-1"]);
    expect(await keys('{"id":123456789012345678901234567890,"messages":[]}')).toEqual([
      "123456789012345678901234567890",
    ]);
    const [first, second] = await keys(`${JSON.stringify(one)}\n${JSON.stringify([user("other"), ...one])}`);
    expect(first).toMatch(/^my-chats\.jsonl:0:[0-9a-f]{8}$/);
    expect(second).toMatch(/^my-chats\.jsonl:1:[0-9a-f]{8}$/);
    expect(first!.slice(-8)).not.toBe(second!.slice(-8));
    expect(await keys(JSON.stringify([...one, says("longer")]))).toEqual([first]);
  });

  test("a reward of τ-bench is the outcome: 1 completed, else unsuccessful, absent not known, a word reported", async () => {
    const outcome = async (fields: object) => {
      const { runs, broken } = await readTranscript({ task_id: 0, traj: one, ...fields });
      return [outcomeOf(runs[0]!), broken.length];
    };
    expect(await outcome({ reward: 1 })).toEqual(["completed", 0]);
    expect(await outcome({ reward: 0.5 })).toEqual(["unsuccessful", 0]);
    expect(await outcome({})).toEqual([null, 0]);
    expect(await outcome({ reward: null })).toEqual([null, 0]);
    expect(await outcome({ reward: "1" })).toEqual([null, 1]);
    const { runs } = await readTranscript({ messages: one, reward: 1 });
    expect(outcomeOf(runs[0]!)).toBe(null);
  });

  test("what is no run is named with its line, and the rest is read", async () => {
    const file = [
      '{"traj":[]}',
      "nonsense sesame",
      '{"foo":"sesame"}',
      '{"messages":[]',
      "3",
      JSON.stringify(one),
    ].join("\n");
    const { runs, broken } = await readTranscript(file);
    expect(runs).toHaveLength(2);
    expect(broken.map((place) => place.line)).toEqual([2, 3, 4, 5]);
    expect(JSON.stringify(broken)).not.toContain("sesame");
  });

  test("messages of wrong types are named and cost nothing but themselves", async () => {
    const odd = [
      null,
      7,
      [],
      { role: 3 },
      { content: "x" },
      { role: "ipython" },
      { role: "assistant", tool_calls: {} },
    ];
    const holes = { role: "assistant", tool_calls: [null, {}, { function: {} }, { function: { name: "ok" } }] };
    const { runs, broken } = await readTranscript({ messages: [...odd, holes] });
    expect(broken).toHaveLength(10);
    expect(turnsOf(runs[0]!)).toHaveLength(2);
    expect(callsOf(runs[0]!).map(({ proposal }) => proposal.tool)).toEqual(["ok"]);
    expect(runs[0]!.leftOut).toEqual({ messages_of_unknown_role: 3, unreadable_calls: 4 });
  });

  test("how the bytes arrive changes nothing", async () => {
    const file = [{ task_id: 1, traj: one, reward: 1 }, { messages: [says('é“"\\'), ...one] }].map((run) =>
      JSON.stringify(run),
    );
    for (const content of [`[${file.join(",\n")}]`, file.join("\n"), `${file[0]!.slice(0, -9)}\n${file[1]}`]) {
      const whole = await readTranscript(content);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }), async (chunks) => {
          expect(await readTranscript(content, { chunks })).toEqual(whole);
        }),
        { numRuns: 40 },
      );
    }
  });
});

describe("any file", () => {
  const message = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      {
        role: fc.constantFrom("assistant", "tool", "function", "user", "x", 1, null),
        content: fc.jsonValue({ maxDepth: 2 }),
        tool_call_id: fc.constantFrom("a", "b", 1, null),
        name: fc.constantFrom("book", "", {}, null),
        tool_calls: fc.constantFrom(null, [], {}, [null], [{ id: "a", function: { name: "book", arguments: "{" } }]),
        function_call: fc.constantFrom(undefined, "x", { name: "book", arguments: 1 }),
        usage: fc.jsonValue({ maxDepth: 2 }),
        model: fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: [] },
    ),
  );

  test("of messages of any shape is read or named, and each result has its own call", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), fc.jsonValue(), async (messages, other) => {
        const { runs } = await readTranscript({ messages, tools: other, reward: other, model: other, id: other });
        expect(runs).toHaveLength(1);
        const places = runs[0]!.lines.map((line) => line.id);
        expect(new Set(places).size).toBe(places.length);
        const answered = callsOf(runs[0]!).filter(({ result }) => result !== undefined).length;
        expect(runs[0]!.lines.filter((line) => line.part === "result")).toHaveLength(answered);
      }),
      { numRuns: 300 },
    );
  });

  test("that was damaged anywhere is read or named, never a crash", async () => {
    const intact = Buffer.from(JSON.stringify([{ task_id: 1, traj: one() }, { messages: [says("é"), ...one()] }]));
    const damage = fc.record({
      at: fc.integer({ min: 0, max: intact.length - 1 }),
      drop: fc.integer({ min: 0, max: 30 }),
      put: fc.uint8Array({ maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, drop, put }) => {
        const bytes = Buffer.concat([intact.subarray(0, at), put, intact.subarray(at + drop)]);
        const { runs, broken } = await readTranscript(bytes);
        expect(runs.length + broken.length).toBeGreaterThan(0);
        for (const place of broken) expect(place.line).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

function one() {
  return [user("hi"), calls(["a", "book", "{}"]), answers("a", "1")];
}
