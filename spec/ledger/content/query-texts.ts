import { queryOperation } from '../../../src/ledger/content/operations.js';
import { PLAIN } from './bodies.js';
import { refused } from './refused.js';

/** The parameters of a query string, as the routes give them. */
export function parameters(text: string): ReadonlyMap<string, string[]> {
  const search = new URLSearchParams(text);
  return new Map([...new Set(search.keys())].map((name) => [name, search.getAll(name)]));
}

/** The query object that a query string of L2 becomes. */
export const query = (text: string) => queryOperation(parameters(text), undefined, PLAIN).query;

/** What is wrong with a query string of L2. */
export const fault = (text: string) => refused(() => query(text));

/** A geographical query that is taken. */
export const NEAR = 'georel=near%3BmaxDistance%3D%3D200&geometry=Point&coordinates=[1,2]';
