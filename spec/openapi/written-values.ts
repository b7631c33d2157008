import { expect } from 'chai';
import type { Schema } from '../../src/openapi/schema.js';
import type { DocumentReader } from './documented.js';

/** Texts that name one thing throughout the examples: ids, hashes, tokens, addresses. */
const NAMES_ONE = /^\S{8,256}$/;
const TIME = /^\d{4}-\d\d-\d\dT/;

/** The values of the running service for the values that examples have in their place. */
export interface WrittenValues {
  /** Sets the value for a written one. */
  bind(written: string, actual: string): unknown;
  /** Returns an example's value as the service has it. */
  readonly actual: (written: unknown) => unknown;
  /**
   * Compares an answer with the example's. A value that varies has only to fit its schema; from then on it stands for the
   * written one. All others must be equal, but for times in sentences. Throws an `AssertionError` that names the place.
   */
  expectEqual(schema: Schema, written: unknown, actual: unknown, at: string): void;
}

/** Makes the values of a service. */
export function writtenValues(reader: DocumentReader): WrittenValues {
  const values = new Map<string, string>();
  /** Values of the answer that is compared now. */
  const found = new Map<string, string>();

  const bind = (written: unknown, actual: unknown, at: string): void => {
    if (typeof written !== 'string' || typeof actual !== 'string' || TIME.test(written)) return;
    if (!NAMES_ONE.test(written)) return;
    const before = found.get(written) ?? values.get(written);
    if (before !== undefined)
      expect(actual, `${at}: the document has ${written} for two values`).to.equal(before);
    found.set(written, actual);
    // A link has a token as its last segment, which is a parameter elsewhere.
    if (written.startsWith('http')) bind(lastSegment(written), lastSegment(actual), at);
  };
  const textOf = (written: string): string =>
    [...values, ...found].reduce((text, [from, to]) => text.replaceAll(from, to), written);
  const actualOf = (written: unknown): unknown => {
    if (typeof written === 'string') return textOf(written);
    if (Array.isArray(written)) return written.map(actualOf);
    if (typeof written !== 'object' || written === null) return written;
    return Object.fromEntries(
      Object.entries(written).map(([name, value]) => [textOf(name), actualOf(value)]),
    );
  };

  function expectEqual(given: Schema, written: unknown, actual: unknown, at: string): void {
    const schema = branchOf(given, actual);
    if (schema['x-varies'] === true) return bind(written, actual, at);
    if (Array.isArray(written) && Array.isArray(actual)) {
      expect(actual, `${at}: ${JSON.stringify(actual)}`).to.have.length(written.length);
      written.forEach((one, i) => expectEqual(itemsOf(schema), one, actual[i], `${at}[${i}]`));
    } else if (isObject(written) && isObject(actual)) {
      expect(Object.keys(actual), at).to.have.members(Object.keys(written));
      for (const [name, one] of Object.entries(written))
        expectEqual(memberOf(schema, name), one, actual[name], `${at}.${name}`);
    } else expect(timeless(actual), at).to.equal(timeless(actualOf(written)));
  }

  /** Follows references, and the first alternative that fits the value. */
  function branchOf(given: Schema, value: unknown): Schema {
    if (given['x-varies'] === true) return given;
    const schema = reader.resolved(given);
    const alternatives = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
    const fit = alternatives?.find((one) => reader.faults(one, value) === '');
    return fit === undefined ? schema : branchOf(fit, value);
  }

  return {
    bind: (written, actual) => values.set(written, actual),
    actual: actualOf,
    expectEqual(schema, written, actual, at) {
      try {
        expectEqual(schema, written, actual, at);
        for (const [from, to] of found) values.set(from, to);
      } finally {
        found.clear();
      }
    },
  };
}

/** Hides times inside of sentences. */
function timeless(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME') : value;
}

function lastSegment(url: string): string {
  return new URL(url).pathname.split('/').at(-1)!;
}

function itemsOf(schema: Schema): Schema {
  return (schema['items'] ?? {}) as Schema;
}

function memberOf(schema: Schema, name: string): Schema {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const others = schema['additionalProperties'];
  return properties[name] ?? (isObject(others) ? others : {});
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
