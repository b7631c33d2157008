import { expect } from 'chai';
import { request } from '../e2e/api-client.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';

/** A sample of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A scrape of `/metrics`. */
export interface Scrape {
  readonly text: string;
  readonly samples: readonly Sample[];
  /** Returns the sum of the samples of a name that have these labels, perhaps among others. undefined if there is none. */
  readonly sum: (name: string, labels?: Readonly<Record<string, string>>) => number | undefined;
}

const SAMPLE = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
const LABEL = /(?<key>\w+)="(?<text>(?:\\.|[^"\\])*)"/g;
const ESCAPES = new Map([['\\n', '\n']]);

/** Reads the metrics of a service. */
export async function scrape(url: string, token?: string): Promise<Scrape> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const { status, text } = await request(`${url}/metrics`, 'GET', undefined, headers);
  expect(status, text).to.equal(200);
  return scrapeOf(text);
}

/** Parses the text format of Prometheus. */
function scrapeOf(text: string): Scrape {
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(sampleOf);
  return {
    text,
    samples,
    sum(name, labels = {}) {
      const found = samples.filter((one) => one.name === name && hasLabels(one, labels));
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

function sampleOf(line: string): Sample {
  const { name, labels = '', value } = SAMPLE.exec(line)?.groups ?? {};
  if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(LABEL)].map(({ groups }) => [
    groups!['key']!,
    groups!['text']!.replaceAll(/\\./g, (escape) => ESCAPES.get(escape) ?? escape.slice(1)),
  ]);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: numberOf(value) };
}

function numberOf(text: string): number {
  return text === '+Inf' ? Infinity : Number(text);
}

function hasLabels(sample: Sample, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
}

/** Scrapes until the metrics are as expected. Throws the last failed assertion after `SOON_MS`. */
export async function scrapeUntil(url: string, check: (found: Scrape) => void): Promise<Scrape> {
  let failed: unknown;
  return eventually(
    async () => {
      const found = await scrape(url);
      try {
        check(found);
        return found;
      } catch (error) {
        failed = error;
        return undefined;
      }
    },
    SOON_MS,
    () => String(failed),
  );
}
