import fc from 'fast-check';
import { type Common, createOperation } from '../../../src/ledger/content/operations.js';

/** The parts of a request of application/json without headers. */
export const PLAIN: Common = { tenant: undefined, link: undefined, ldJson: false };

/** A valid entity. */
export function entity(more: object = {}): Record<string, unknown> {
  return { id: 'urn:ngsi-ld:Store:1', type: 'Store', ...more };
}

/** Returns the operation of an entity with one attribute, or with any other value in its place. */
export const withAttribute = (value: unknown, name = 'attribute') =>
  createOperation(entity({ [name]: value }), PLAIN);

/** JSON values, many of them close to NGSI-LD. */
export const nearlyNgsi: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      'Property',
      'GeoProperty',
      'Relationship',
      'Point',
      'urn:a:b',
      Infinity,
      '\ud800',
      -0,
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom(
        'id',
        'type',
        'value',
        'object',
        'languageMap',
        'vocab',
        'json',
        'valueList',
        'objectList',
        'observedAt',
        'coordinates',
        'geometries',
        'location',
        '@context',
        '__proto__',
        'toJSON',
        'a b',
      ),
      tie('value'),
      { maxKeys: 5, noNullPrototype: true },
    ),
  ),
}))['value'];
