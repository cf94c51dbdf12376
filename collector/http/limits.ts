/** What one collector takes on. */
export interface CollectorLimits {
  /** Largest body as sent, in bytes. */
  readonly maxRequestBytes: number;
  /** Largest body after inflating, in bytes. */
  readonly maxInflatedBytes: number;
  /** Largest number of spans, attributes and values in one request, as `countElements` counts. */
  readonly maxElements: number;
  /** Bytes of all bodies that are being read, decoded or stored; one body of the largest size always has room. */
  readonly maxHeldBytes: number;
  /** Time in which a body must have come whole: exporters give up after 10 s themselves. */
  readonly maxBodyMilliseconds: number;
  /** Requests that are decoded or stored at a time; what comes beyond is sent away for a second or two. */
  readonly maxInFlight: number;
}

export const DEFAULT_LIMITS: CollectorLimits = {
  maxRequestBytes: 16 * 1024 * 1024,
  maxInflatedBytes: 64 * 1024 * 1024,
  maxElements: 4_000_000,
  maxHeldBytes: 256 * 1024 * 1024,
  maxBodyMilliseconds: 10_000,
  maxInFlight: 32,
};
