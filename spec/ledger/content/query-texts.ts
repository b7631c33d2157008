import { queryOperation } from '../../../src/ledger/content/operations.js';
import { PLAIN } from './bodies.js';
import { refused } from './refused.js';

/** Returns the parameters of a query string, as the routes do. */
export function parameters(text: string): ReadonlyMap<string, string[]> {
  const search = new URLSearchParams(text);
  return new Map([...new Set(search.keys())].map((name) => [name, search.getAll(name)]));
}

/** Returns the query object of a query string of L2. */
export const query = (text: string) => queryOperation(parameters(text), undefined, PLAIN).query;

/** Returns the faults of a query string of L2. */
export const fault = (text: string) => refused(() => query(text));

/** A valid geographical query. */
export const NEAR = 'georel=near%3BmaxDistance%3D%3D200&geometry=Point&coordinates=[1,2]';
