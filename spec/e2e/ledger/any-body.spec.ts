import { keccak_256 } from '@noble/hashes/sha3.js';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiAnswer } from '../api-client.js';
import { cases } from '../../cases.js';
import { anyBody } from '../hostile/hostile-bodies.js';
import { expectProblemShape } from './problem.js';
import { ENTITIES, type Receipt, sharedLedger, type Signer, UPSERT } from './scene.js';

const ID = 'urn:ngsi-ld:Building:any';
const RUNS = cases(300, 100);

const ENTITY = {
  '@context': ['https://example.org/context.jsonld', { name: 'https://schema.org/name' }],
  id: ID,
  type: 'Building',
  name: { type: 'Property', value: 'The big red barn', observedAt: '2026-01-01T00:00:00Z' },
  owner: { type: 'Relationship', object: ['urn:ngsi-ld:Person:1'] },
  location: { type: 'GeoProperty', value: { type: 'Point', coordinates: [13.3986, 52.5547] } },
};

/** The operations that have a body, each with one that is taken. */
const BODIES: readonly (readonly [string, string, unknown])[] = [
  ['L1', `POST ${ENTITIES}`, ENTITY],
  ['L3', `POST /ngsi-ld/v1/entities/${ID}/attrs`, ENTITY],
  ['L3 by PATCH', `PATCH /ngsi-ld/v1/entities/${ID}/attrs`, { name: ENTITY.name }],
  ['L5', `POST ${UPSERT}?options=replace`, [ENTITY, { id: 'urn:ngsi-ld:Building:other', type: 'Building' }]],
];

/** Statuses with which any body may be refused. */
const REFUSED = new Set([400, 406, 413, 415]);

describe('operations of the ledger with anything at all', () => {
  const ledger = sharedLedger();
  let signer: Signer;
  let nonce: number;
  let count: number;
  beforeEach(async () => {
    signer = await ledger().account();
    nonce = 0;
    count = await ledger().count();
  });

  /** Fails unless the answer is a receipt and one more transaction, or a documented problem and none. */
  const judged = async (answer: ApiAnswer, what: string): Promise<Receipt | undefined> => {
    const counted = await ledger().count();
    if (answer.status === 200) {
      nonce += 1;
      count = counted;
      const receipt = answer.body as unknown as Receipt;
      expect(receipt.from, what).to.equal(signer.address);
      return receipt;
    }
    expect(REFUSED, `${what}: ${answer.status} ${answer.text}`).to.include(answer.status);
    expectProblemShape(answer);
    expect(counted, what).to.equal(count);
    expect(await ledger().nonceOf(signer.address), what).to.equal(nonce);
    return undefined;
  };

  for (const [name, request, body] of BODIES) {
    it(`${name}: bodies are recorded or refused, and refused ones change nothing`, async () => {
      const seen = { taken: 0, refused: 0 };
      const sending = fc.asyncProperty(anyBody(body), async ({ body: sent, headers }) => {
        const what = `${request} with ${JSON.stringify(String(sent)).slice(0, 500)}`;
        const answer = await ledger().ask(request, sent, { ...signer.headers, ...headers });
        if ((await judged(answer, what)) === undefined) seen.refused += 1;
        else seen.taken += 1;
      });
      await fc.assert(sending, { numRuns: RUNS });
      expect(seen.taken, 'taken').to.be.greaterThan((seen.taken + seen.refused) / 20);
      expect(seen.refused, 'refused').to.be.greaterThan((seen.taken + seen.refused) / 20);
      expect(await ledger().nonceOf(signer.address)).to.equal(seen.taken);
    });
  }

  it('L1: JSON-LD of any shape passes untouched into the hash', async () => {
    const keccak = (text: string): string =>
      `0x${Buffer.from(keccak_256(Buffer.from(text))).toString('hex')}`;
    const value = fc.jsonValue({ maxDepth: 4 }).filter((it) => it !== null && isSimple(it));
    const names = fc
      .stringMatching(/^[a-z][a-zA-Z0-9_]{0,8}$/)
      .filter((it) => !(it in ENTITY) && !META.has(it));
    const sending = fc.asyncProperty(fc.dictionary(names, value, { noNullPrototype: true }), async (more) => {
      const entity = { ...ENTITY, ...more };
      const answer = await ledger().ask(`POST ${ENTITIES}`, entity, signer.headers);
      const receipt = await judged(answer, JSON.stringify(entity));
      expect(receipt?.additionalInformation.hash, answer.text).to.equal(keccak(canonicalize(entity)!));
    });
    await fc.assert(sending, { numRuns: cases(200, 40) });
  });

  it('L2 and L4: queries are recorded or refused, and refused ones change nothing', async () => {
    const name = fc.constantFrom(
      'id',
      'idPattern',
      'type',
      'attrs',
      'q',
      'georel',
      'geometry',
      'coordinates',
      'geoproperty',
      'csf',
      'limit',
      'offset',
      'options',
      'scopeQ',
      '__proto__',
    );
    const value = fc.oneof(
      fc.constantFrom(
        '1',
        '0',
        '100',
        '101',
        '-1',
        'a',
        'a,b',
        'urn:a:1',
        'keyValues',
        'near;maxDistance==1',
      ),
      fc.constantFrom('Point', '[1,2]', 'null', '[', '(', '^a+$', '', 'a==b'),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    );
    const pairs = fc.array(fc.tuple(name, value), { maxLength: 4 });
    const raw = fc.string({ unit: fc.constantFrom(...'abc=&%;+/?#[] 2Ff'.split('')), maxLength: 15 });
    const query = fc.oneof(
      pairs.map((list) => new URLSearchParams(list as [string, string][]).toString()),
      raw.map((text) => text.replaceAll(/[# ]/g, '')),
    );
    const path = fc.constantFrom(ENTITIES, '/ngsi-ld/v1/entities', `/ngsi-ld/v1/entities/${ID}`);
    const seen = { taken: 0, refused: 0 };
    const asking = fc.asyncProperty(path, query, async (at, text) => {
      const what = `GET ${at}?${text}`;
      const answer = await ledger().ask(what, undefined, signer.headers);
      const receipt = await judged(answer, what);
      if (receipt === undefined) seen.refused += 1;
      else seen.taken += 1;
    });
    await fc.assert(asking, { numRuns: RUNS });
    expect(seen.taken, 'taken').to.be.greaterThan((seen.taken + seen.refused) / 20);
    expect(seen.refused, 'refused').to.be.greaterThan((seen.taken + seen.refused) / 20);
  });
});

/** Names of members that NGSI-LD gives a meaning to. */
const META = new Set([
  'id',
  'type',
  'value',
  'object',
  'json',
  'vocab',
  'createdAt',
  'modifiedAt',
  'observedAt',
]);

/** True where no object in a value looks like an attribute or is null in its place. */
function isSimple(value: unknown): boolean {
  // JSON.stringify writes an exponent from 1e21 on only: an unsafe integer below is refused.
  if (typeof value === 'number') return Number.isSafeInteger(value) || /[.e]/.test(String(value));
  if (typeof value !== 'object' || value === null) return typeof value !== 'string' || value.isWellFormed();
  return Object.entries(value).every(([name, member]) => !META.has(name) && isSimple(member));
}
