import { type Tracer, trace } from "@opentelemetry/api";

/** Asked for anew each time: a provider may be registered after the executor was wrapped. */
export function packageTracer(given?: Tracer): Tracer {
  return given ?? trace.getTracer("@mulligan/instrumentation", "0.1.0");
}
