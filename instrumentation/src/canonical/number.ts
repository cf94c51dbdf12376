/**
 * The one spelling of a JSON number: optional minus, digits without zeros at either end, `e`, exponent; zero is `0`.
 *
 * The value is exact: nothing passes through a double, so integers beyond 2^53 stay distinct. Linear in the literal's
 * length, also for an exponent of many digits (`1e999999999999`): no power of ten is ever built.
 *
 * @param literal a number by the JSON grammar, or the text of a double or bigint
 */
export function canonicalNumber(literal: string): string {
  const negative = literal.charCodeAt(0) === 45;
  const mark = exponentMark(literal);
  const mantissa = literal.slice(negative ? 1 : 0, mark);
  const point = mantissa.indexOf(".");
  const fractionLength = point < 0 ? 0 : mantissa.length - point - 1;
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);

  let start = 0;
  while (start < digits.length && digits.charCodeAt(start) === 48) start++;
  if (start === digits.length) return "0";
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;

  const shift = digits.length - end - fractionLength;
  const exponent = mark === literal.length ? String(shift) : addToDecimal(literal.slice(mark + 1), shift);
  return `${negative ? "-" : ""}${digits.slice(start, end)}e${exponent}`;
}

function exponentMark(literal: string): number {
  for (let at = 0; at < literal.length; at++) {
    const code = literal.charCodeAt(at) | 32;
    if (code === 101) return at;
  }
  return literal.length;
}

/** Digits that a double holds exactly, with room for the carry of a shift. */
const SAFE_DIGITS = 15;

/** Adds a small integer to a signed decimal of any length. */
function addToDecimal(decimal: string, shift: number): string {
  const negative = decimal.charCodeAt(0) === 45;
  let start = negative || decimal.charCodeAt(0) === 43 ? 1 : 0;
  while (start < decimal.length - 1 && decimal.charCodeAt(start) === 48) start++;
  const magnitude = decimal.slice(start);
  if (magnitude.length <= SAFE_DIGITS) return String((negative ? -Number(magnitude) : Number(magnitude)) + shift);

  // The magnitude exceeds every shift that a literal in memory can cause, so the sign stays.
  const total = addToMagnitude(magnitude, negative ? -shift : shift);
  return negative ? `-${total}` : total;
}

function addToMagnitude(magnitude: string, shift: number): string {
  const cut = magnitude.length - SAFE_DIGITS;
  const low = Number(magnitude.slice(cut)) + shift;
  if (low >= 0 && low < 10 ** SAFE_DIGITS) return magnitude.slice(0, cut) + String(low).padStart(SAFE_DIGITS, "0");
  const carry = low < 0 ? -1 : 1;
  const rest = String(low - carry * 10 ** SAFE_DIGITS).padStart(SAFE_DIGITS, "0");
  return `${carryInto(magnitude.slice(0, cut), carry)}${rest}`.replace(/^0+(?=\d)/, "");
}

function carryInto(head: string, carry: 1 | -1): string {
  const [turns, becomes] = carry === 1 ? ["9", "0"] : ["0", "9"];
  let at = head.length - 1;
  while (at >= 0 && head[at] === turns) at--;
  if (at < 0) return `1${becomes.repeat(head.length)}`;
  return head.slice(0, at) + String(Number(head[at]) + carry) + becomes.repeat(head.length - at - 1);
}
