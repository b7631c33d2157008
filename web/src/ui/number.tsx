import type { CountView } from '../../../src/console/shapes.js';

/** A number with thousands separated, and at most `digits` after the point. */
export function Num({ value, digits = 0 }: { readonly value: number; readonly digits?: number }) {
  return <span class="num">{numberText(value, digits)}</span>;
}

/** From here on a number is written with an exponent. */
const LARGE = 1e15;

/** Returns a number with thousands separated, and at most `digits` after the point. */
export function numberText(value: number, digits: number): string {
  if (Math.abs(value) >= LARGE) return value.toExponential(3);
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** Returns a number with the word for what is counted: `1 line`, `2,000 lines`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** A rate: whole above 10, one digit below. */
export function Rate({ value }: { readonly value: number }) {
  return <Num value={value} digits={value < 10 ? 1 : 0} />;
}

/** A count, with a plus sign if only the first ones were counted. */
export function Count({ value }: { readonly value: CountView }) {
  return (
    <span class="num">
      {value.count.toLocaleString('en')}
      {value.more && '+'}
    </span>
  );
}
