import { expect } from 'chai';
import { readFacts } from '../../../src/policy/facts/facts.js';
import { refused } from '../http/refused.js';

export const OK = { code: '200', reasonPhrase: 'Ok' };
export const FAILED = { code: '404', reasonPhrase: 'No context element found' };

/** An attribute as NGSI-10 has it (policy §2, Facts payload). */
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

/** The measurements that a body holds. */
export function measuresOf(body: unknown) {
  return readFacts(body, 'used').measures;
}

/** What is wrong with a body; fails where it is taken. */
export function factsProblems(body: unknown): string {
  const refusal = refused(() => measuresOf(body));
  expect(refusal.code).to.equal('bad-request');
  return refusal.message;
}
