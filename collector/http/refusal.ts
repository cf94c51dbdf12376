/** Why a request is not taken: the HTTP status, the `google.rpc.Code` beside it, and what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: 400 | 413 | 415 | 500 | 503;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: Refusal["status"], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  /** `google.rpc.Code`: invalid argument, resource exhausted, internal, unavailable. */
  get code(): number {
    return { 400: 3, 413: 8, 415: 3, 500: 13, 503: 14 }[this.status];
  }
}

/**
 * A refusal for the moment. Its Retry-After is set where it is answered.
 *
 * @param reason - Begins the message, without a full stop.
 */
export function busy(reason: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return new Refusal(503, `${reason}; nothing was stored. Send it again after Retry-After.`, headers);
}

export function megabytes(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.floor(bytes / (1024 * 1024))} MiB` : `${bytes} bytes`;
}
