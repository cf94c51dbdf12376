/** Bytes of request bodies that one collector holds at a time, over all requests. */
export class ByteBudget {
  readonly size: number;
  #held = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** Counts bytes that came; false, and nothing counted, where they are too many. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.size) return false;
    this.#held += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}
