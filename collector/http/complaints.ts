/** What was wrong with the spans of one request, as one text: a message for each kind, with how many spans it met. */
import type { Complaint } from "../emitters/span-reading.ts";
import type { PartialSuccess } from "../otlp/encode-answer.ts";

const MAX_KINDS = 20;

export class Complaints {
  readonly #kinds = new Map<string, { message: string; spans: number }>();
  #refused = 0;

  get refused(): number {
    return this.#refused;
  }

  refuse(complaint: Complaint): void {
    this.#refused += 1;
    this.#add(`refused ${complaint.kind}`, complaint.message);
  }

  warn(complaint: Complaint): void {
    this.#add(`warned ${complaint.kind}`, complaint.message);
  }

  /** `null` where there is nothing to say. */
  partialSuccess(): PartialSuccess | null {
    if (this.#kinds.size === 0) return null;
    const shown = [...this.#kinds.values()].slice(0, MAX_KINDS);
    const messages = shown.map(({ message, spans }) => `${message} (${spans} ${spans === 1 ? "span" : "spans"})`);
    if (this.#kinds.size > MAX_KINDS) messages.push(`and ${this.#kinds.size - MAX_KINDS} more kinds of fault`);
    return { rejectedSpans: this.#refused, errorMessage: messages.join(" | ") };
  }

  #add(kind: string, message: string): void {
    const known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, { message, spans: 1 });
    else known.spans += 1;
  }
}
