export type { Clock } from "./clock.ts";
export { type RejectedClass, ToolInputError, type ToolInputErrorOptions } from "./errors/tool-input-error.ts";
export { instrumentExecutor } from "./executor.ts";
export type { Category } from "./fingerprint.ts";
export { type RunOutcomeOptions, recordRunOutcome } from "./runs/outcome.ts";
export { type Run, type RunOptions, startRun } from "./runs/run.ts";
export type { Turn, TurnOptions, Usage } from "./runs/turn.ts";
export type { FailureClass, Origin, Retryability, RunOutcome } from "./semconv.ts";
export type {
  ErrorClass,
  Executor,
  ExecutorOptions,
  JsonSchema,
  StandardIssue,
  StandardResult,
  StandardSchema,
  ToolCall,
  ToolDefinition,
  ToolSet,
} from "./types.ts";
