import { expect } from 'chai';
import { NO_METRICS } from '../../../src/config/metrics.js';
import { type Facts, factsReader } from '../../../src/policy/facts/facts.js';
import type { HddReading } from '../../../src/policy/facts/measuring-attributes.js';
import { refused } from '../http/refused.js';

export const OK = { code: '200', reasonPhrase: 'Ok' };
export const FAILED = { code: '404', reasonPhrase: 'No context element found' };

/** An attribute of NGSI-10 (policy §2, Facts payload). */
export function attribute(name: string, value: unknown) {
  return { name, value, type: 'string' };
}

/** An element of `contextResponses`; `more` are members of its context element. */
export function element(attributes: unknown, more: Record<string, unknown> = {}, statusCode: unknown = OK) {
  return {
    contextElement: { attributes, id: 'web-1', isPattern: 'false', type: 'host', ...more },
    statusCode,
  };
}

/** The body of operation 1. */
export function factsBody(...contextResponses: readonly unknown[]) {
  return { contextResponses };
}

/** A body that measures cpu. */
export function cpuBody(value: unknown) {
  return factsBody(element([attribute('cpuLoadPct', value)]));
}

/** Returns the measurements in a body. */
export function measuresOf(body: unknown) {
  return readFacts(body, 'used').measures;
}

/** Returns the problems of a body. Fails if the body is accepted. */
export function factsProblems(body: unknown): string {
  const refusal = refused(() => measuresOf(body));
  expect(refusal.code).to.equal('bad-request');
  return refusal.message;
}

/** Reads a body without further metrics. */
export function readFacts(body: unknown, hdd: HddReading): Facts {
  return factsReader({ hdd, metrics: NO_METRICS })(body);
}
