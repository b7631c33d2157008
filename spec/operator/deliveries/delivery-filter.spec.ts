import { expect } from 'chai';
import type { Context } from 'koa';
import { deliveryFilterOf } from '../../../src/operator/delivery-routes.js';

const filterOf = (querystring: string) => deliveryFilterOf({ querystring, state: {} } as Context);

describe('the deliveries that a request asks for', () => {
  it('are those of all its parameters, by default the 100 newest', () => {
    const names = ['state', 'tenant', 'server', 'subscription', 'receiver', 'answer', 'before'];
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(filterOf('')).to.deep.equal({ ...nothing, limit: 100 });
    const all = {
      state: 'dead',
      tenant: 't',
      server: 'urn:x/y',
      subscription: 's',
      receiver: 'rcv_0123456789abcdef',
      answer: '503',
      before: 'msg_1',
      limit: 7,
    };
    const query = String(new URLSearchParams({ ...all, limit: '7' }));
    expect(filterOf(query)).to.deep.equal(all);
  });

  for (const [query, words] of [
    ['state=sending', 'state: must be one of pending, delivered, dead'],
    ['tenant=a/b', 'tenant: holds no slash'],
    ['before=a%00', 'before: holds no control characters'],
    ['before=a%2Fb', 'before: must be the id of a delivery'],
    ['limit=1001', 'limit: must be an integer from 1 to 1000'],
    ['server=a&server=b', 'server: must be given once'],
    ['after=msg_1', 'allowed: state, tenant, server, subscription, receiver, answer, before, limit'],
  ] as const) {
    it(`are refused by name: ${query}`, () => {
      expect(() => filterOf(query)).to.throw(words);
    });
  }
});
