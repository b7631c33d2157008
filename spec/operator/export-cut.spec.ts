import { expect } from 'chai';
import { createCut } from '../../src/operator/export-cut.js';
import type { Listed } from '../../src/store/port.js';

/** More than the table of the cut has room for at first. */
const SERVERS = 5_000;

function document(id: string, revision: number, context: object, state = 's'): Listed {
  const [frequent, rare] = [JSON.stringify(context), '{}'];
  return { id, version: 1, revision, state, wakeAt: undefined, frequent, rare };
}

function message(i: number, revision: number, state: string, subscriptionId = `sub-${i}`): Listed {
  const about = { tenant: 'acme', server: `web-${i}`, subscriptionId, factId: 1, revision };
  return document(`delivery/acme/${i}`, 1, { about }, state);
}

describe('the documents of an export of a store in use', () => {
  it('are compared with the servers that were read before, whatever their number', () => {
    const cut = createCut();
    for (let i = 0; i < SERVERS; i += 1) {
      const server = document(`server/acme/web-${i}`, 100 + i, { subscriptions: [{ id: `sub-${i}` }] });
      expect(cut(server)).to.equal(server);
    }
    for (let i = 0; i < SERVERS; i += 1) {
      const handedOver = message(i, 100 + i, 'waiting');
      expect(cut(handedOver), 'before the server was read').to.equal(handedOver);
      expect(cut(message(i, 101 + i, 'waiting')), 'after it').to.equal(undefined);
      expect(cut(message(i, 101 + i, 'delivered')), 'after it, and sent').to.equal(undefined);
    }
  });

  it('have sent messages of servers and subscriptions that are gone, and none of them that waits', () => {
    const cut = createCut();
    cut(document('server/acme/web-1', 100, { subscriptions: [{ id: 'sub-1' }] }));
    for (const state of ['delivered', 'dead']) {
      const ended = message(1, 200, state, 'gone');
      expect(cut(ended)).to.equal(ended);
      const deleted = message(2, 200, state);
      expect(cut(deleted)).to.equal(deleted);
    }
    for (const state of ['sending', 'waiting', 'blocked']) {
      expect(cut(message(1, 200, state, 'gone'))).to.equal(undefined);
      expect(cut(message(2, 200, state))).to.equal(undefined);
    }
  });
});
