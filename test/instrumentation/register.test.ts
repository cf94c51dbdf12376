import { readFile } from "node:fs/promises";
import { isNodeRecentEnough } from "@mulligan/instrumentation/internal/sdk/telemetry";
import { afterEach, describe, expect, test } from "vitest";
import { calls, startAgent } from "./support/agent.ts";
import { openSink } from "./support/sink.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const sink of opened.splice(0)) await sink.close();
});
async function sinkAndEnvironment(status?: number) {
  const sink = await openSink(status);
  opened.push(sink);
  return { sink, environment: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_SERVICE_NAME: "agent" } };
}

describe("what is queued is sent", () => {
  test("when the process ends by itself, in bursts far beyond the SDK's own queue, with the headers of the environment", async () => {
    const { sink, environment } = await sinkAndEnvironment();
    const agent = startAgent(calls(10_000), {
      ...environment,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20token-1",
    });
    const { code, stderr } = await agent.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(sink.spans).toHaveLength(10_000);
    expect(new Set(sink.requests.map(({ url, authorization }) => `${url} ${authorization}`))).toEqual(
      new Set(["/v1/traces Bearer token-1"]),
    );
    const names = new Set(sink.resources.map(({ key }) => key));
    expect(names).toContain("service.name");
    expect([...names].filter((name) => name.startsWith("process.") || name.startsWith("host."))).toEqual([]);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("on %s, which is then sent again", async (signal) => {
    const { sink, environment } = await sinkAndEnvironment();
    const agent = startAgent(`${calls(1_000)} setInterval(() => {}, 1_000); console.log("ready");`, environment);
    await agent.said("ready");
    agent.kill(signal);
    expect(await agent.ended).toMatchObject({ signal, stderr: "" });
    expect(sink.spans).toHaveLength(1_000);
  });

  test("where the host listens to the signal itself, ending is the host's business", async () => {
    const { sink, environment } = await sinkAndEnvironment();
    const host = `
      import { shutdown } from "@mulligan/instrumentation/register";
      let heard = 0;
      process.on("SIGTERM", async () => { heard++; await shutdown(); console.log("heard " + heard); process.exit(7); });
      setInterval(() => {}, 1_000);
      console.log("ready");`;
    const agent = startAgent(calls(700) + host, environment);
    await agent.said("ready");
    agent.kill("SIGTERM");
    expect(await agent.ended).toMatchObject({ code: 7, stdout: "ready\nheard 1\n", stderr: "" });
    expect(sink.spans).toHaveLength(700);
  });

  test("before process.exit(), by await shutdown()", async () => {
    const { sink, environment } = await sinkAndEnvironment();
    const exit = `import { shutdown } from "@mulligan/instrumentation/register"; await shutdown(); process.exit(3);`;
    expect(await startAgent(calls(700) + exit, environment).ended).toMatchObject({ code: 3, stderr: "" });
    expect(sink.spans).toHaveLength(700);
  });
});

describe("what is lost is counted and told", () => {
  test("process.exit() without shutdown says how many were waiting, and what to do", async () => {
    const { environment } = await sinkAndEnvironment();
    const { code, stderr } = await startAgent(`${calls(100)} process.exit(0);`, environment).ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^mulligan: 100 spans were still waiting when the process ended\. Before process\.exit\(\), await shutdown\(\)/,
    );
  });

  test("a full queue says how many were dropped, and which variable to raise", async () => {
    const { sink, environment } = await sinkAndEnvironment();
    const { stderr } = await startAgent(calls(3_000), { ...environment, OTEL_BSP_MAX_QUEUE_SIZE: "1000" }).ended;
    const dropped = Number(
      /(\d+) dropped because 1000 were waiting already: raise OTEL_BSP_MAX_QUEUE_SIZE/.exec(stderr)?.[1],
    );
    expect(dropped).toBeGreaterThan(0);
    expect(sink.spans.length + dropped).toBe(3_000);
  });

  test("a collector that refuses costs no crash, and says where to look", async () => {
    const { environment } = await sinkAndEnvironment(401);
    const { code, stderr } = await startAgent(calls(10), environment).ended;
    expect(code).toBe(0);
    expect(stderr).toContain("10 spans were lost: 10 could not be delivered (the collector answered HTTP 401)");
    expect(stderr).toContain("OTEL_EXPORTER_OTLP_HEADERS");
  });

  test("a collector that is not there is told by the code of the failure", async () => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    const { stderr } = await startAgent(calls(1), environment).ended;
    expect(stderr).toMatch(/1 span was lost: 1 could not be delivered \(ECONNREFUSED\)/);
  });

  test("a Node that is too old for the SDK is named, where every span would be lost", () => {
    expect(["20.20.2", "22.14.9"].map(isNodeRecentEnough)).toEqual([false, false]);
    expect(["22.15.0", "24.0.0", process.versions.node].map(isNodeRecentEnough)).toEqual([true, true, true]);
  });

  test("a loss of one span is told in the singular", async () => {
    const { environment } = await sinkAndEnvironment(401);
    const lost = await startAgent(calls(1), environment).ended;
    expect(lost.stderr).toContain("1 span was lost: 1 could not be delivered");
    const waiting = await startAgent(`${calls(1)} process.exit(0);`, environment).ended;
    expect(waiting.stderr).toContain("1 span was still waiting when the process ended");
  });
});

describe("it does not fight what is there", () => {
  const sdk = (more: string) => `
    import { NodeSDK } from "@opentelemetry/sdk-node";
    new NodeSDK({ spanProcessors: [{ onStart() {}, onEnd() {}, async forceFlush() {}, async shutdown() {} }], autoDetectResources: false, metricReaders: [], logRecordProcessors: [] }).start();
    ${more}`;

  test("a provider that exists already is left alone, and this is said once", async () => {
    const { sink, environment } = await sinkAndEnvironment();
    const program = sdk(
      `const { flush, shutdown } = await import("@mulligan/instrumentation/register"); await flush(); await shutdown();`,
    );
    const { code, stderr } = await startAgent(program + calls(5), environment, []).ended;
    expect(code).toBe(0);
    expect(stderr.match(/MULLIGAN_PROVIDER_EXISTS/g)).toHaveLength(1);
    expect(stderr).toContain("mulliganSpanProcessor()");
    expect(sink.requests).toEqual([]);
  });

  test("OTEL_SDK_DISABLED and OTEL_TRACES_EXPORTER=none are obeyed", async () => {
    const { sink, environment } = await sinkAndEnvironment();
    for (const off of [{ OTEL_SDK_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }]) {
      expect(await startAgent(calls(5), { ...environment, ...off }).ended).toMatchObject({ code: 0, stderr: "" });
    }
    expect(sink.requests).toEqual([]);
  });

  test("without the optional packages the agent runs, and is told what to install", async () => {
    const hide = `data:text/javascript,${encodeURIComponent(`
      import { registerHooks } from "node:module";
      registerHooks({ resolve(name, context, next) {
        if (/sdk-node|exporter-trace/.test(name)) throw Object.assign(new Error("absent"), { code: "ERR_MODULE_NOT_FOUND" });
        return next(name, context);
      } });`)}`;
    const flags = ["--import", hide, "--import", "@mulligan/instrumentation/register"];
    const { code, stdout, stderr } = await startAgent(`${calls(5)} console.log("ran");`, {}, flags).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "ran\n" });
    expect(stderr).toContain("npm install @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-http");
  });
});

test("the README's recipes for a provider of one's own and for process.exit() run", async () => {
  const { environment } = await sinkAndEnvironment();
  const readme = await readFile(new URL("../../instrumentation/README.md", import.meta.url), "utf8");
  const programs = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, program]) => program ?? "");
  const [provider, exit, ...more] = programs.filter((program) => /sdk-node|\/register/.test(program));
  expect(more).toEqual([]);
  expect(await startAgent(provider ?? "", environment, []).ended).toMatchObject({ code: 0, stderr: "" });
  expect(await startAgent(calls(50) + exit, environment).ended).toMatchObject({ code: 0, stderr: "" });
});
