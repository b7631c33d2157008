import type { CountView } from '../../../src/console/shapes.js';

/** A number with thousands separated, and at most `digits` after the point. */
export function Num({ value, digits = 0 }: { readonly value: number; readonly digits?: number }) {
  return <span class="num">{value.toLocaleString('en', { maximumFractionDigits: digits })}</span>;
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
