import { expect } from 'chai';
import type { SendEvent } from '../../../src/delivery/delivery.js';
import { messageDispatch } from '../../../src/policy/server/message-dispatch.js';
import type { DeliverEffect, ServerContext, ServerEvent } from '../../../src/policy/server/server-context.js';
import type { Address } from '../../../src/store/port.js';
import { effectRun } from '../../actors/stage/effect-run.js';
import { ADDRESS, NOON } from './driven-server.js';

const CONTEXT = undefined as unknown as ServerContext;
const OTHER_SERVER = { ...ADDRESS, name: 'web-2' };
const OTHER_TENANT = { ...ADDRESS, tenant: 'other' };

function message(id: string): DeliverEffect {
  const webhook = { channel: 'webhook', url: 'https://example.org/', body: '{}' } as const;
  return { id, type: 'deliver', message: webhook, subscriptionId: 's1', firedAt: NOON };
}

/** The effect on deliveries that `handOver` stands for. */
function dispatchTo(handOver: (id: string, event: SendEvent) => Promise<void>) {
  const effect = messageDispatch({ handOver }, () => NOON);
  return (id: string, address: Address = ADDRESS): Promise<ServerEvent | undefined> =>
    effect(message(id), CONTEXT, effectRun(address));
}

describe('the dispatch of messages', () => {
  it('reports the messages of one commit in one event', async () => {
    const dispatch = dispatchTo(async () => {});
    const events = await Promise.all(['m1', 'm2', 'm3'].map((id) => dispatch(id)));
    const event = { type: 'dispatched', now: NOON, entryIds: ['m1', 'm2', 'm3'] };
    expect(events).to.deep.equal([event, undefined, undefined]);
  });

  it('fails for a message that the deliveries do not take over, and reports the others', async () => {
    const dispatch = dispatchTo(async (id) => {
      if (id === 'm1') throw new Error('no');
    });
    const [first, second] = await Promise.allSettled([dispatch('m1'), dispatch('m2')]);
    expect(first).to.have.property('status', 'rejected');
    expect(second).to.deep.include({ value: { type: 'dispatched', now: NOON, entryIds: ['m2'] } });
  });

  it('passes on at most 128 messages of a tenant at once', async () => {
    let current = 0;
    let most = 0;
    const dispatch = dispatchTo(async () => {
      current += 1;
      most = Math.max(most, current);
      await new Promise((resolve) => setImmediate(resolve));
      current -= 1;
    });
    await Promise.all(Array.from({ length: 300 }, (_, i) => dispatch(`m${i}`)));
    expect(most).to.equal(128);
  });

  it('passes on messages of several servers together, those that come later after them, and tenants at the same time', async () => {
    const started: string[] = [];
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const dispatch = dispatchTo(async (id) => {
      started.push(id);
      if (id === 'first') await finished;
    });
    const first = dispatch('first');
    const second = dispatch('second', OTHER_SERVER);
    await dispatch('third', OTHER_TENANT);
    const late = [dispatch('late'), dispatch('later', OTHER_SERVER)];
    await dispatch('fourth', OTHER_TENANT);
    expect(started).to.deep.equal(['first', 'second', 'third', 'fourth']);
    finish();
    const reported = await Promise.all([first, second, ...late]);
    expect(started.slice(4)).to.deep.equal(['late', 'later']);
    const ids = [['first'], ['second'], ['late'], ['later']];
    expect(reported).to.deep.equal(ids.map((entryIds) => ({ type: 'dispatched', now: NOON, entryIds })));
  });

  it('passes on many commits of a tenant in rounds of at most 128 messages', async () => {
    let current = 0;
    let most = 0;
    let rounds = 0;
    const dispatch = dispatchTo(async () => {
      if (current === 0) rounds += 1;
      current += 1;
      most = Math.max(most, current);
      await new Promise((resolve) => setImmediate(resolve));
      current -= 1;
    });
    const servers = Array.from({ length: 300 }, (_, i) => ({ ...ADDRESS, name: `web-${i}` }));
    await Promise.all(servers.map((address) => dispatch('m', address)));
    expect([most, rounds]).to.deep.equal([128, 3]);
  });
});
