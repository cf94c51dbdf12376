import protobuf from "protobufjs/light.js";
import type { OtlpContentType } from "./encode-answer.ts";

/** Field numbers under which the messages that are decoded hold others: request → resource spans → … → value. */
interface Nesting {
  readonly [fieldNumber: number]: Nesting;
}
const value: { [fieldNumber: number]: Nesting } = {};
value[5] = { 1: value };
const keyValue: Nesting = { 2: value };
const request: Nesting = { 1: { 1: { 1: keyValue }, 2: { 1: {}, 2: { 9: keyValue, 15: {} } } } };

const MAX_DEPTH = 64;

/**
 * How many objects decoding will make, up to `limit`. A body of two-byte elements is small on the wire and a hundred
 * times as large in memory, so it is counted before it is decoded. Bytes that are no message are left to the decoder.
 */
export function countElements(bytes: Uint8Array, type: OtlpContentType, limit: number): number {
  return type === "application/json" ? countInJson(bytes, limit) : countInProtobuf(bytes, limit);
}

const BRACE = "{".charCodeAt(0);
const BRACKET = "[".charCodeAt(0);

function countInJson(bytes: Uint8Array, limit: number): number {
  let count = 0;
  for (let i = 0; i < bytes.length && count <= limit; i += 1)
    if (bytes[i] === BRACE || bytes[i] === BRACKET) count += 1;
  return count;
}

function countInProtobuf(bytes: Uint8Array, limit: number): number {
  const reader = protobuf.Reader.create(bytes);
  let count = 0;
  const walk = (end: number, nesting: Nesting, depth: number): void => {
    while (reader.pos < end && count <= limit) {
      const tag = reader.uint32();
      const inner = nesting[tag >>> 3];
      if ((tag & 7) !== 2 || inner === undefined || depth === MAX_DEPTH) {
        reader.skipType(tag & 7);
        continue;
      }
      const length = reader.uint32();
      count += 1;
      walk(Math.min(reader.pos + length, end), inner, depth + 1);
    }
  };
  try {
    walk(bytes.length, request, 0);
  } catch {
    // The decoder refuses it with its reason.
  }
  return count;
}
