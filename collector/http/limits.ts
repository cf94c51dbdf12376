/** What one collector takes on. */
export interface CollectorLimits {
  /** Largest body as sent, in bytes. */
  readonly maxRequestBytes: number;
  /** Largest body after inflating, in bytes. */
  readonly maxInflatedBytes: number;
  /** Largest number of spans, attributes and values in one request, as `countElements` counts. */
  readonly maxElements: number;
  /** Requests that are read, decoded or stored at a time; what comes beyond is sent away for a second or two. */
  readonly maxInFlight: number;
}

export const DEFAULT_LIMITS: CollectorLimits = {
  maxRequestBytes: 16 * 1024 * 1024,
  maxInflatedBytes: 64 * 1024 * 1024,
  maxElements: 4_000_000,
  maxInFlight: 32,
};
