/**
 * Usage as the rollups add it up: a double, rounded once to nine decimals, as a whole number of billionths. Pure, and
 * nothing of Postgres in it: what its `round(x::numeric, 9)` says is computed here from the definition.
 */

/** Postgres makes a `numeric` of a double by its first 15 significant digits (`DBL_DIG`). */
const SIGNIFICANT_DIGITS = 15;
const DECIMALS = 9;
/** More digits than an exact half at the 16th digit can have; `toPrecision` takes no more. */
const EXACT_DIGITS = 100;

/** Billionths of a finite number, half of one rounded away from zero. */
export function billionths(value: number): bigint {
  if (value === 0) return 0n;
  const { digits, exponent } = significant(Math.abs(value));
  // digits × 10 ** shift billionths
  const shift = exponent - (SIGNIFICANT_DIGITS - 1) + DECIMALS;
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : halfUp(digits, 10n ** BigInt(-shift));
  return value < 0 ? -size : size;
}

/** `digits × 10 ** (exponent - 14)`, the nearest such number; of two equally near ones that with the even last digit. */
function significant(value: number): { digits: bigint; exponent: number } {
  const exact = value.toPrecision(EXACT_DIGITS);
  const [mantissa, power] = exact.split("e") as [string, string | undefined];
  const [whole, fraction = ""] = mantissa.split(".") as [string, string | undefined];
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const leadingZeros = `${whole}${fraction}`.length - all.length;
  const exponent = whole.length - 1 - leadingZeros + Number(power ?? 0);
  const kept = BigInt(all.slice(0, SIGNIFICANT_DIGITS).padEnd(SIGNIFICANT_DIGITS, "0"));
  const rest = all.slice(SIGNIFICANT_DIGITS);
  const half = `5${"0".repeat(Math.max(rest.length - 1, 0))}`;
  const up = rest > half || (rest === half && kept % 2n === 1n);
  const digits = up ? kept + 1n : kept;
  return digits === 10n ** BigInt(SIGNIFICANT_DIGITS)
    ? { digits: digits / 10n, exponent: exponent + 1 }
    : { digits, exponent };
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** As Postgres writes a `numeric(38, 9)`: `6500.000000000`. */
export function decimalText(billionths: bigint): string {
  const size = billionths < 0n ? -billionths : billionths;
  const text = String(size).padStart(DECIMALS + 1, "0");
  return `${billionths < 0n ? "-" : ""}${text.slice(0, -DECIMALS)}.${text.slice(-DECIMALS)}`;
}
