/**
 * Cuts a stream of bytes into the JSON values that a transcript file is made of, without holding the file.
 *
 * Three layouts come out of one pass: a top-level array is cut into its elements; other documents are one piece each;
 * and a file whose first document stands on a line of its own, with more after it, is JSON Lines from there on, where
 * a line that is broken costs that line and no other.
 */

/** One value of the file, not parsed yet. */
export interface JsonPiece {
  readonly kind: "value";
  /** Line, from 1, on which the value begins. */
  readonly line: number;
  /** Counts the file's documents from 0; a line of JSON Lines is a document. */
  readonly document: number;
  /** Place in the document's array, from 0; `null` where the document itself is the value. */
  readonly element: number | null;
  readonly text: string;
}

/** A place that holds no readable value. The message never repeats the file's text. */
interface BrokenPiece {
  readonly kind: "broken";
  readonly line: number;
  readonly message: string;
}

export type Piece = JsonPiece | BrokenPiece;

export interface SplitOptions {
  /** The file's name says that it is JSON Lines: no need to learn it from the first document. */
  readonly lines?: boolean;
  /** A longer value is skipped and reported, so that memory stays bounded. */
  readonly maxBytes?: number;
  readonly maxDepth?: number;
}

const MAX_PIECE_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 500;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const CUT_OFF_IN_VALUE =
  "the file ends inside the value that begins here: it was cut off. What stands before it was read.";
const CUT_OFF_IN_ARRAY = "the file ends before its array is closed: it was cut off. What stands before was read.";

const isBlank = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** The value that is being read: its bytes so far and where the scanner stands in it. */
interface OpenValue {
  readonly line: number;
  readonly element: number | null;
  /** A number, a string or a word: ends at a comma, a bracket or the end of the line. */
  readonly bare: boolean;
  parts: Uint8Array[];
  bytes: number;
  depth: number;
  inString: boolean;
  /** Whether an odd number of backslashes stands right before the next byte of a string. */
  escaped: boolean;
  tooDeep: boolean;
}

/**
 * A splitter: `push` takes the next bytes and returns the values that they complete, `end` what is left. How the bytes
 * are cut into pushes never changes what comes out.
 */
export function createSplitter(options: SplitOptions = {}) {
  const maxBytes = options.maxBytes ?? MAX_PIECE_BYTES;
  const maxDepth = options.maxDepth ?? MAX_DEPTH;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  let lines = options.lines ?? false;
  let line = 1;
  let document = 0;
  /** Inside the top-level array: the number of its elements so far. */
  let elements: number | null = null;
  let value: OpenValue | null = null;
  let bomBytes = 0;
  /** A document has ended on the line that it began on, and nothing but blanks has followed yet. */
  let endedOnItsLine = false;
  let documentLine = 1;
  let pieces: Piece[] = [];

  const open = (element: number | null, first: number): OpenValue => {
    const bare = first !== OPEN_OBJECT && first !== OPEN_ARRAY;
    return { line, element, bare, parts: [], bytes: 0, depth: 0, inString: false, escaped: false, tooDeep: false };
  };

  const keep = (current: OpenValue, bytes: Uint8Array) => {
    current.bytes += bytes.length;
    if (current.bytes > maxBytes) current.parts = [];
    else if (bytes.length > 0) current.parts.push(bytes);
  };

  const close = (current: OpenValue) => {
    value = null;
    pieces.push(finished(current));
    if (current.element === null) endDocument();
  };

  const finished = (current: OpenValue): Piece => {
    const broken = (message: string): Piece => ({ kind: "broken", line: current.line, message });
    if (current.bytes > maxBytes) {
      return broken(`a value of ${current.bytes} bytes: at most ${maxBytes} are read. Split it, one run a value.`);
    }
    if (current.tooDeep) return broken(`nested deeper than ${maxDepth} levels, which no transcript is.`);
    try {
      const text = decoder.decode(Buffer.concat(current.parts)).trimEnd();
      return { kind: "value", line: current.line, document, element: current.element, text };
    } catch {
      return broken("not valid UTF-8. Save the file as UTF-8 and import it again.");
    }
  };

  const endDocument = () => {
    endedOnItsLine = documentLine === line;
    document += 1;
    elements = null;
  };

  /** Between values: returns where to go on. */
  const outside = (chunk: Uint8Array, at: number): number => {
    const byte = chunk[at]!;
    if (byte === NEWLINE) {
      line += 1;
      if (endedOnItsLine) lines = true;
      endedOnItsLine = false;
      return at + 1;
    }
    if (isBlank(byte)) return at + 1;
    if (elements !== null) {
      if (byte === COMMA) return at + 1;
      if (byte === CLOSE_ARRAY) {
        endDocument();
        return at + 1;
      }
      value = open(elements, byte);
      elements += 1;
      return at;
    }
    documentLine = line;
    endedOnItsLine = false;
    if (!lines && byte === OPEN_ARRAY) {
      elements = 0;
      return at + 1;
    }
    value = open(null, byte);
    return at;
  };

  /** Inside a value: returns where to go on, having closed the value if it ends there. */
  const inside = (current: OpenValue, chunk: Uint8Array, from: number): number => {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (byte === NEWLINE) {
        // JSON has no raw newline inside a string: ending the string there lets one lost quote cost one value.
        current.inString = false;
        current.escaped = false;
        if (lines || current.bare) return closeBefore(current, chunk, from, at);
        line += 1;
      } else if (current.inString) {
        if (current.escaped) current.escaped = false;
        else if (byte === BACKSLASH) current.escaped = true;
        else if (byte === QUOTE) current.inString = false;
      } else if (byte === QUOTE) {
        current.inString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        current.depth += 1;
        if (current.depth > maxDepth) current.tooDeep = true;
      } else if (current.bare && elements !== null && (byte === COMMA || byte === CLOSE_ARRAY)) {
        return closeBefore(current, chunk, from, at);
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        current.depth -= 1;
        if (current.depth <= 0 && !lines && !current.bare) return closeBefore(current, chunk, from, at + 1);
      }
    }
    keep(current, chunk.subarray(from));
    return chunk.length;
  };

  const closeBefore = (current: OpenValue, chunk: Uint8Array, from: number, to: number): number => {
    keep(current, chunk.subarray(from, to));
    close(current);
    return to;
  };

  return {
    push(chunk: Uint8Array): Piece[] {
      pieces = [];
      let at = 0;
      while (bomBytes < 3 && at < chunk.length) {
        if (chunk[at] !== BYTE_ORDER_MARK[bomBytes]) bomBytes = 3;
        else {
          bomBytes += 1;
          at += 1;
        }
      }
      while (at < chunk.length) at = value === null ? outside(chunk, at) : inside(value, chunk, at);
      return pieces;
    },
    end(): Piece[] {
      pieces = [];
      if (value !== null) {
        if (lines || value.bare) close(value);
        else pieces.push({ kind: "broken", line: value.line, message: CUT_OFF_IN_VALUE });
      } else if (elements !== null) {
        pieces.push({ kind: "broken", line, message: CUT_OFF_IN_ARRAY });
      }
      return pieces;
    },
  };
}
