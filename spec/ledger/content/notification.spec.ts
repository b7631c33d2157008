import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { notificationDigest } from '../../../src/ledger/content/notification.js';
import { type Common, operationOf } from '../../../src/ledger/content/operations.js';
import type { Operation } from '../../../src/ledger/operation.js';

const common: Common = { tenant: undefined, link: undefined, ldJson: false };
const NORMALIZED = {
  id: 'urn:ngsi-ld:Car:1',
  type: 'Car',
  speed: { type: 'Property', value: 80, observedAt: '2026-01-01T00:00:00Z' },
};
const SIMPLIFIED = { id: 'urn:ngsi-ld:Car:2', type: 'Car', speed: 80 };
const CONCISE = { id: 'urn:ngsi-ld:Car:3', type: 'Car', speed: { value: 80 } };
/** As Scorpio sends it. */
const NOTIFICATION = {
  id: 'notification:-3561232112',
  type: 'Notification',
  subscriptionId: 'urn:ngsi-ld:Subscription:cars',
  notifiedAt: '2026-01-01T00:00:00.000000Z',
  data: [NORMALIZED, SIMPLIFIED, CONCISE],
};

function read(body: unknown, more: Partial<Common> = {}): Operation {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return operationOf({ name: 'notify', bytes, common: { ...common, ...more } });
}

function upsert(entities: readonly unknown[]): Operation {
  return operationOf({ name: 'upsert', bytes: Buffer.from(JSON.stringify(entities)), common });
}

describe('a notification', () => {
  it('is one batch of its entities, each hashed as it was sent', () => {
    const operation = read(NOTIFICATION);
    expect(operation).to.deep.include({
      name: 'notify',
      entities: ['urn:ngsi-ld:Car:1', 'urn:ngsi-ld:Car:2', 'urn:ngsi-ld:Car:3'],
      notification: { id: NOTIFICATION.id, subscriptionId: NOTIFICATION.subscriptionId },
    });
    const { hash, assetId, batch } = upsert(NOTIFICATION.data);
    expect(operation).to.deep.include({ hash, assetId, batch });
  });

  it('has no hash of its own @context, and those of its entities in theirs', () => {
    const context = 'https://example.org/context.jsonld';
    const { hash } = read(NOTIFICATION);
    expect(read({ ...NOTIFICATION, '@context': context }, { ldJson: true }).hash).to.equal(hash);
    const within = NOTIFICATION.data.map((entity) => ({ ...entity, '@context': context }));
    expect(read({ ...NOTIFICATION, data: within }).hash).to.equal(upsert(within).hash);
  });

  it('may have one entity without an array, as JSON-LD has it', () => {
    expect(read({ ...NOTIFICATION, data: NORMALIZED }).hash).to.equal(upsert([NORMALIZED]).hash);
  });

  it('keeps the Link of its request, also with application/ld+json', () => {
    const link = '<https://example.org/context.jsonld>';
    expect(read(NOTIFICATION, { link, ldJson: true }).link).to.equal(link);
  });

  it('is the same one at another time, and another one with anything else', () => {
    const digest = (body: object, more = {}) => notificationDigest(read(body, more));
    const first = digest(NOTIFICATION);
    expect(digest({ ...NOTIFICATION, notifiedAt: '2026-02-02T00:00:00Z', '@context': 'https://a' })).to.equal(
      first,
    );
    const others = [
      digest({ ...NOTIFICATION, id: 'notification:2' }),
      digest({ ...NOTIFICATION, subscriptionId: 'urn:ngsi-ld:Subscription:2' }),
      digest({ ...NOTIFICATION, data: [NORMALIZED] }),
      digest({ ...NOTIFICATION, data: NOTIFICATION.data.toReversed() }),
      digest(NOTIFICATION, { tenant: 'acme' }),
    ];
    expect(new Set([first, ...others])).to.have.property('size', others.length + 1);
  });

  it('names each fault with its place and what is allowed', () => {
    const refused = (body: unknown): string => {
      try {
        read(body);
      } catch (error) {
        if (error instanceof Refusal && error.code === 'bad-request') return error.message;
        throw error;
      }
      throw new Error('it was not refused');
    };
    expect(refused([NORMALIZED])).to.equal(
      'body: must be a notification of NGSI-LD: a JSON object with id, subscriptionId and data',
    );
    const text = refused({ type: 'Entity', subscriptionId: 4, data: [{ ...NORMALIZED, id: 'no' }, 7] });
    for (const fault of [
      'id: is required, and must be a URI',
      'subscriptionId: must be a URI',
      'type: must be Notification, or left out',
      'data[0].id: must be a URI',
      'data[1]: must be a JSON object',
    ])
      expect(text).to.include(fault);
    const empty = 'data: must be a non-empty array of entities, as NGSI-LD brokers send them';
    for (const data of [undefined, [], 'x', null])
      expect(refused({ ...NOTIFICATION, data }), String(data)).to.equal(empty);
    expect(refused('{"id":"a:b","id":"a:c","subscriptionId":"a:s","data":[]}')).to.include(
      'id: must be given',
    );
    const many = { ...NOTIFICATION, data: Array.from({ length: 25_001 }, () => SIMPLIFIED) };
    expect(() => read(many)).to.throw(Refusal, 'more than 25000 entities; it has 25001');
  });
});
