import { expect } from 'chai';
import fc from 'fast-check';
import { wires } from '../../http/wire/wire-client.js';
import { scenes } from './scene.js';

const words = [
  '/',
  '//',
  '.',
  '..',
  'attrs',
  'urn:a:1',
  'http:',
  '%',
  '%2F',
  '%00',
  '%ff',
  '?',
  '&',
  '=',
  '+',
  ':',
  '#',
];
const tails = fc.oneof(
  fc.constantFrom('', '/', '/urn:a:1', '/urn:a:1/attrs', '?limit=1'),
  fc.string({
    unit: fc.oneof(fc.constantFrom(...words), fc.string({ minLength: 1, maxLength: 2 })),
    maxLength: 12,
  }),
);
const paths = fc
  .tuple(
    fc.constantFrom('/ngsi-ld/v1/entities', '/ngsi-ld/v1/entityOperations/upsert', '/entity', '/ledger', '/'),
    tails,
  )
  .map(([head, tail]) => head + tail.replaceAll(/[^!-~]/g, '%20'));
const names = [
  'Wallet-Type',
  'Wallet-Token',
  'Wallet-Address',
  'NGSILD-Tenant',
  'Link',
  'Related-Entity',
  'Idempotency-Key',
  'Accept',
  'Content-Type',
];
/** The bytes that node accepts in a header. */
const values = fc
  .array(
    fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9)),
    { maxLength: 20 },
  )
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
const header = fc.tuple(
  fc.constantFrom(...names),
  fc.oneof(values, fc.constantFrom('vault', 'application/ld+json', 'urn:a:1', '')),
);
const headers = fc.oneof(fc.constant([]), fc.array(header, { maxLength: 4 }));
const any = fc.tuple(
  fc.constantFrom('GET', 'POST', 'PATCH', 'HEAD', 'DELETE', 'OPTIONS'),
  paths,
  headers,
  fc.constantFrom('', '{"id":"urn:a:1","type":"T"}', '[]', '{'),
);
const create: [string, string, [string, string][], string] = [
  'POST',
  '/ngsi-ld/v1/entities',
  [['Content-Type', 'application/json']],
  '{"id":"urn:a:1","type":"T"}',
];
/** One in twenty is well-formed: random ones alone are seldom recorded. */
const requests = fc.oneof({ weight: 19, arbitrary: any }, { weight: 1, arbitrary: fc.constant(create) });

describe('requests of any path and any headers', () => {
  const set = scenes();
  const dial = wires();

  it('never get 5xx, and get a problem for a refusal', async () => {
    const { port, recorded } = await set();
    let wire = await dial(port);
    const statuses = new Set<number>();
    const send = fc.asyncProperty(requests, async ([method, path, given, body]) => {
      if (wire.socket.destroyed) wire = await dial(port);
      const lines = given.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const text = `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`;
      wire.write(Buffer.from(text, 'latin1'));
      let answer = '';
      wire.socket.on('data', (part: string) => (answer += part));
      await wire.closed();
      const status = Number(answer.split(' ')[1]);
      statuses.add(status);
      expect(status, text).to.be.within(200, 499);
      const isOurs = /^\/(?:ngsi-ld|entity|ledger)(?:[/?]|$)/.test(path);
      if (isOurs && status >= 400 && status !== 431) {
        expect(answer, text).to.match(/content-type: application\/problem\+json/i);
      }
    });
    await fc.assert(send, { numRuns: 2000 });
    expect([...statuses]).to.include.members([200, 204, 400, 404, 405, 406, 415]);
    expect(recorded.length).to.be.greaterThan(50);
  });
});
