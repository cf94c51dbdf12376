/** The formats that `--format` names. A new format is a file of its own and a line here. */
import { openaiChat } from "./openai-chat.ts";
import type { TranscriptFormat } from "./types.ts";

export const FORMATS: readonly TranscriptFormat[] = [openaiChat];

/** The format of that name, or undefined. */
export function formatNamed(name: string): TranscriptFormat | undefined {
  return FORMATS.find((format) => format.name === name);
}
