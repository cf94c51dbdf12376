import { describe, expect, it } from "vitest";
import { Complaints } from "../../../collector/http/complaints.ts";
import { receive } from "../../../collector/http/receive.ts";
import { decodeTraces } from "../../../collector/otlp/decode.ts";
import { exportRequestType } from "../../../collector/otlp/descriptor.ts";
import { spanId, traceId } from "../observations.ts";

type KeyValue = { readonly key: string; readonly value: object };
const text = (key: string, value: string): KeyValue => ({ key, value: { stringValue: value } });
const TOOL = [text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", "search")];
const LONG = "x".repeat(4_097);

const request = (attributes: readonly KeyValue[], resource: readonly KeyValue[], id: (hex: string) => string) => ({
  resourceSpans: [
    {
      resource: { attributes: resource },
      scopeSpans: [
        {
          spans: [
            {
              traceId: id(traceId("t")),
              spanId: id(spanId("a")),
              startTimeUnixNano: "1",
              endTimeUnixNano: "2",
              attributes,
            },
          ],
        },
      ],
    },
  ],
});

/** What becomes of a span with these attributes: the same by protobuf and by JSON. */
function received(attributes: readonly KeyValue[], resource: readonly KeyValue[] = []) {
  const json = new TextEncoder().encode(JSON.stringify(request(attributes, resource, (hex) => hex)));
  const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
  const message = exportRequestType.fromObject(request(attributes, resource, base64));
  const [byJson, byProtobuf] = [
    decodeTraces(json, "application/json"),
    decodeTraces(exportRequestType.encode(message).finish(), "application/x-protobuf"),
  ].map((spans) => {
    const complaints = new Complaints();
    const { observations, ignored } = receive(spans, complaints);
    const { rejectedSpans = 0, errorMessage = "" } = complaints.partialSuccess() ?? {};
    return {
      records: observations.map(({ record }) => record),
      ignored,
      refused: rejectedSpans,
      message: errorMessage,
    };
  });
  expect(byProtobuf).toEqual(byJson);
  return byJson!;
}

const PLACING = [
  "mulligan.run.id",
  "mulligan.run.leg",
  "mulligan.turn.index",
  "mulligan.call.index",
  "gen_ai.tool.name",
  "gen_ai.tool.call.id",
  "mulligan.call.verdict",
  "mulligan.call.failure_class",
  "mulligan.call.origin",
  "gen_ai.operation.name",
];
const UNREADABLE: readonly (readonly [string, object])[] = [
  ["a text of more than 4096 characters", { stringValue: LONG }],
  ["bytes", { bytesValue: "YWNjZXB0ZWQ=" }],
  ["a list of more than 128 elements", { arrayValue: { values: Array(129).fill({ intValue: "1" }) } }],
  ["a list with an element that is nothing", { arrayValue: { values: [{}] } }],
  [
    "lists nested more than 4 deep",
    {
      arrayValue: {
        values: [
          {
            arrayValue: {
              values: [{ arrayValue: { values: [{ arrayValue: { values: [{ arrayValue: { values: [] } }] } }] } }],
            },
          },
        ],
      },
    },
  ],
];

describe("an attribute that places a call and cannot be read", () => {
  const placed = (name: string, value: object) => [...TOOL.filter(({ key }) => key !== name), { key: name, value }];

  it.each(PLACING.flatMap((name) => UNREADABLE.map(([why, value]) => [name, why, value] as const)))(
    "refuses the span: %s with %s",
    (name, why, value) => {
      const { records, ignored, refused, message } = received(placed(name, value));
      expect([records, ignored, refused]).toEqual([[], 0, 1]);
      expect(message).toMatch(new RegExp(`^${name}: got ${why}; send .* \\(1 span\\)$`));
    },
  );

  it("refuses the span where it is a map", () => {
    const json = new TextEncoder().encode(
      JSON.stringify(request(placed("mulligan.run.id", { kvlistValue: { values: [] } }), [], (hex) => hex)),
    );
    const complaints = new Complaints();
    receive(decodeTraces(json, "application/json"), complaints);
    expect(complaints.partialSuccess()?.errorMessage).toMatch(/^mulligan\.run\.id: got a map; send /);
  });

  it("is not replaced by a second one of its name", () => {
    const twice = [...placed("mulligan.run.id", { stringValue: LONG }), text("mulligan.run.id", "other")];
    expect(received(twice)).toMatchObject({ records: [], refused: 1 });
  });

  it("is as good as absent where its value is empty", () => {
    expect(received(placed("mulligan.run.id", {}))).toMatchObject({
      refused: 0,
      message: "",
      records: [{ tool: "search" }],
    });
  });
});

describe("any number of foreign attributes", () => {
  const foreign = Array.from({ length: 600 }, (_, i) => text(`app.k${i}`, "v"));

  it("before those of the contract changes nothing of what is read", () => {
    const own = [...TOOL, text("mulligan.run.id", "r"), text("error.type", "timeout")];
    const resource = [text("service.name", "agent")];
    const alone = received(own, resource);
    expect(alone.records).toMatchObject([{ run_id: "r", failure_class: "timeout", service_name: "agent" }]);
    expect(received([...foreign, ...own], [...foreign, ...resource])).toEqual(alone);
  });

  it("leaves a foreign span ignored without a word", () => {
    expect(received([...foreign, text("gen_ai.input.messages", LONG)])).toMatchObject({ ignored: 1, message: "" });
  });

  it("of the contract's own prefix pushes out what comes behind them, and says so", () => {
    const own = Array.from({ length: 512 }, (_, i) => text(`gen_ai.k${i}`, "v"));
    const { refused, message } = received([...own, ...TOOL]);
    expect(refused).toBe(1);
    expect(message).toMatch(/^gen_ai\.operation\.name: got it behind 512 other attributes; send one of execute_tool/);
  });
});

describe("any other attribute that cannot be read", () => {
  it("of the contract is left out, and said", () => {
    const { records, refused, message } = received(
      [...TOOL, text("mulligan.error.fingerprint", LONG), text("mulligan.cohort.tier", LONG)],
      [text("service.name", LONG)],
    );
    expect([records.length, refused]).toEqual([1, 0]);
    expect(message.split(" | ")).toEqual([
      expect.stringMatching(
        /^mulligan\.error\.fingerprint: got a text of more than 4096 characters; send .*; the attribute was left out/,
      ),
      expect.stringMatching(/^mulligan\.cohort\.\*: got a text of more/),
      expect.stringMatching(/^service\.name: got a text of more/),
    ]);
  });

  it("is content, and is neither stored nor said", () => {
    const content = ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.input.messages", "app.prompt"];
    const { records, message } = received([...TOOL, ...content.map((name) => text(name, LONG))]);
    expect([records.length, message]).toEqual([1, ""]);
  });
});
