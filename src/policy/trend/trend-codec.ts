import type { TrendBucket } from './trend-buckets.js';

/** The stored buckets of one metric: about 11 characters each, a third of JSON. */
export interface StoredTrend {
  /** Decimals that values are rounded to: five digits of the largest. Negative: tens, hundreds and so on. */
  readonly decimals: number;
  /** Base64 of the buckets of ten minutes, oldest first. */
  readonly tens: string;
  /** Base64 of the buckets of one minute. */
  readonly minutes: string;
}

/** The digits of the largest value. */
const DIGITS = 5;
/** 10 to this power is a number. */
const DECIMALS_LIMIT = 308;

/** Encodes buckets, oldest first. */
export function encoded(buckets: readonly TrendBucket[]): StoredTrend {
  const largest = buckets.reduce((most, { min, max }) => Math.max(most, Math.abs(min), Math.abs(max)), 0);
  const wanted = largest === 0 ? 0 : DIGITS - Math.ceil(Math.log10(largest));
  const decimals = Math.min(DECIMALS_LIMIT, wanted);
  const textOf = (length: TrendBucket['length']): string =>
    bytesOf(
      buckets.filter((bucket) => bucket.length === length),
      decimals,
    ).toString('base64');
  return { decimals, tens: textOf(10), minutes: textOf(1) };
}

/** Decodes buckets; undefined stands for none. */
export function decoded(stored: StoredTrend | undefined): readonly TrendBucket[] {
  if (stored === undefined) return [];
  const { decimals, tens, minutes } = stored;
  return [...bucketsIn(tens, 10, decimals), ...bucketsIn(minutes, 1, decimals)];
}

/**
 * Five numbers for each bucket: the time after the bucket before, the count, the mean as a difference to the mean before, and
 * how far the smallest and the largest value are from the mean. Most need one or two bytes.
 */
function bytesOf(buckets: readonly TrendBucket[], decimals: number): Buffer {
  const bytes: number[] = [];
  let time = 0;
  let before = 0;
  for (const bucket of buckets) {
    const [mean, min, max] = [bucket.mean, bucket.min, bucket.max].map((value) => scaled(value, decimals));
    const at = bucket.minute / bucket.length;
    write(bytes, at - time);
    write(bytes, bucket.count);
    write(bytes, zigzag(mean! - before));
    write(bytes, mean! - min!);
    write(bytes, max! - mean!);
    time = at;
    before = mean!;
  }
  return Buffer.from(bytes);
}

function* bucketsIn(text: string, length: TrendBucket['length'], decimals: number): Generator<TrendBucket> {
  const bytes = Buffer.from(text, 'base64');
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      // A text that ends within a number ends it.
      const byte = bytes[at] ?? 0;
      at += 1;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  let time = 0;
  let mean = 0;
  while (at < bytes.length) {
    time += read();
    const count = read();
    mean += unzigzag(read());
    const [min, max] = [mean - read(), mean + read()];
    const [first, second, third] = [mean, min, max].map((value) => unscaled(value, decimals));
    yield { minute: time * length, length, count, mean: first!, min: second!, max: third! };
  }
}

/** Writes a whole number from 0 to 2^53, seven bits a byte. */
function write(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

/** 0, -1, 1, -2 become 0, 1, 2, 3. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function scaled(value: number, decimals: number): number {
  return Math.round(decimals < 0 ? value / 10 ** -decimals : value * 10 ** decimals);
}

function unscaled(value: number, decimals: number): number {
  if (decimals >= 0) return value / 10 ** decimals;
  // The largest number was perhaps rounded up.
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value * 10 ** -decimals));
}
