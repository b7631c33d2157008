import { expect } from 'chai';
import { MAIL } from '../../delivery/driven-delivery.js';
import type { Deliveries } from '../../../src/delivery/deliveries.js';
import type { DispatchEvent } from '../../../src/delivery/delivery.js';
import { dispatchEffect } from '../../../src/policy/server/message-dispatch.js';
import type { ServerContext, ServerEvent } from '../../../src/policy/server/server-context.js';
import type { Address } from '../../../src/store/port.js';
import { effectRun } from '../../actors/stage/effect-run.js';
import { quiet, until } from '../../actors/stage/queue.js';
import { ADDRESS, NOON } from './driven-server.js';
import type { DispatchEffect } from '../../../src/policy/alerts/outgoing-messages.js';

const OTHER_SERVER = { ...ADDRESS, name: 'web-2' };
const OTHER_TENANT = { ...ADDRESS, tenant: 'other' };
const WEBHOOK = { channel: 'webhook', url: 'https://example.org/', body: '{}' } as const;

/** A message, by default of a subscription of its own. */
function message(id: string, more: Partial<DispatchEffect> = {}): DispatchEffect {
  return { id, type: 'dispatch', message: WEBHOOK, subscriptionId: id, firedAt: NOON, factId: 1, ...more };
}

/** Messages of one subscription of a rule with states: each comes after the one before. */
function chain(...ids: string[]): DispatchEffect[] {
  return ids.map((id, i) =>
    message(id, { subscriptionId: 's1', ...(i === 0 ? {} : { after: ids[i - 1]! }) }),
  );
}

/**
 * The effect on deliveries that `deliver` stands for. Each call of what it returns is a commit of a server. No message gets a
 * permit for an attempt, but those that are `isAtOnce`.
 */
function dispatchTo(
  deliver: (id: string, event: DispatchEvent) => Promise<void>,
  isAtOnce: (event: DispatchEvent) => boolean = () => false,
) {
  const dispatch: Deliveries['dispatch'] = async (id, event, acquireEntry) => {
    const end = isAtOnce(event) ? undefined : await acquireEntry!();
    await deliver(id, event).finally(end);
  };
  const effect = dispatchEffect({ dispatch }, () => NOON);
  return (
    entries: readonly DispatchEffect[],
    address: Address = ADDRESS,
    before: readonly DispatchEffect[] = [],
  ): Promise<ServerEvent | undefined>[] => {
    const context: Pick<ServerContext, 'outbox'> = { outbox: [...before, ...entries] };
    return entries.map((entry) => effect(entry, context, effectRun(address)));
  };
}

/** Deliveries that a spec answers, in any order. */
function held() {
  const started: string[] = [];
  const waiting = new Map<string, { readonly resolve: () => void; readonly reject: (why: Error) => void }>();
  const settle = (id: string): { readonly resolve: () => void; readonly reject: (why: Error) => void } => {
    const found = waiting.get(id)!;
    waiting.delete(id);
    return found;
  };
  return {
    started,
    deliver: (id: string) =>
      new Promise<void>((resolve, reject) => {
        started.push(id);
        waiting.set(id, { resolve, reject });
      }),
    take: (id: string) => settle(id).resolve(),
    fail: (id: string) => settle(id).reject(new Error('no')),
  };
}

const dispatched = (...entryIds: string[]) => ({ type: 'dispatched', now: NOON, entryIds });

describe('the dispatch of messages', () => {
  it('reports the messages of one commit in one event', async () => {
    const dispatch = dispatchTo(async () => {});
    const events = await Promise.all(dispatch(['m1', 'm2', 'm3'].map((id) => message(id))));
    expect(events).to.deep.equal([dispatched('m1', 'm2', 'm3'), undefined, undefined]);
  });

  it('fails for a message that the deliveries do not take over, and reports those of other subscriptions', async () => {
    const dispatch = dispatchTo(async (id) => {
      if (id === 'm1') throw new Error('no');
    });
    const [first, second] = await Promise.allSettled(dispatch([message('m1'), message('m2')]));
    expect(first).to.have.property('status', 'rejected');
    expect(second).to.deep.include({ value: dispatched('m2') });
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
    const one = Array.from({ length: 300 }, (_, i) => message(`a${i}`, { subscriptionId: 's1' }));
    const others = Array.from({ length: 300 }, (_, i) => message(`b${i}`));
    await Promise.all(dispatch([...one, ...others]));
    expect(most).to.equal(128);
  });

  it('starts at most 64 messages of a commit in one turn of the event loop', async () => {
    const { started, deliver } = held();
    const all = Array.from({ length: 300 }, (_, i) => message(`m${i}`));
    void Promise.all(dispatchTo(deliver, () => true)(all));
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).to.have.length(64);
    await until(async () => started.length === 300);
  });

  it('lets messages to the receivers of a tenant begin to wait in turn', async () => {
    const { started, deliver, take } = held();
    const dispatch = dispatchTo(deliver);
    const dead = Array.from({ length: 1_000 }, (_, i) => message(`dead${i}`));
    const well = message('well', { message: { ...WEBHOOK, url: 'https://well.example/' } });
    const late = message('late', { message: { ...WEBHOOK, url: 'https://late.example/' } });
    void Promise.all([...dispatch([...dead, well]), ...dispatch([late], OTHER_SERVER)]);
    await until(async () => started.length === 128);
    await quiet();
    for (const id of started) take(id);
    await until(async () => started.length === 256);
    expect(started).to.include.members(['well', 'late']);
  });

  it('passes on messages of other servers and tenants while those of one server wait', async () => {
    const { started, deliver, take } = held();
    const dispatch = dispatchTo(deliver);
    const first = dispatch([message('first', { subscriptionId: 's1' })]);
    void Promise.all(dispatch([message('second')], OTHER_SERVER));
    void Promise.all(dispatch([message('third')], OTHER_TENANT));
    await quiet();
    const late = dispatch([message('late', { subscriptionId: 's1' })]);
    void Promise.all(dispatch([message('fourth')], OTHER_TENANT));
    await quiet();
    expect(started).to.have.members(['first', 'second', 'third', 'fourth']);
    take('first');
    expect(await Promise.all(first)).to.deep.equal([dispatched('first')]);
    await quiet();
    expect(started[4]).to.equal('late');
    take('late');
    expect(await Promise.all(late)).to.deep.equal([dispatched('late')]);
  });

  it('passes on many commits of a tenant, at most 128 messages at once', async () => {
    let current = 0;
    let most = 0;
    const dispatch = dispatchTo(async () => {
      current += 1;
      most = Math.max(most, current);
      await new Promise((resolve) => setImmediate(resolve));
      current -= 1;
    });
    const servers = Array.from({ length: 300 }, (_, i) => ({ ...ADDRESS, name: `web-${i}` }));
    const events = await Promise.all(servers.flatMap((address) => dispatch([message('m')], address)));
    expect(most).to.equal(128);
    expect(events).to.have.length(300);
  });

  it('passes on at once what gets an attempt while 128 messages begin to wait', async () => {
    const { started, deliver, take } = held();
    const dispatch = dispatchTo(deliver, ({ message }) => message.channel === 'email');
    const all = Array.from({ length: 200 }, (_, i) => message(`m${i}`));
    void Promise.all(dispatch([...all, message('mail', { message: MAIL })]));
    const late = dispatch([message('late', { message: MAIL })], OTHER_SERVER);
    await quiet();
    expect(started).to.have.length(130);
    expect(started).to.include.members(['mail', 'late']);
    take('late');
    expect(await Promise.all(late)).to.deep.equal([dispatched('late')]);
  });

  it('passes on what later commits of a server made with those that wait before it', async () => {
    const { started, deliver, take } = held();
    const dispatch = dispatchTo(deliver);
    const [one, two, three] = ['one', 'two', 'three'].map((id) => message(id, { subscriptionId: 's1' })) as [
      DispatchEffect,
      DispatchEffect,
      DispatchEffect,
    ];
    const events = [...dispatch([one])];
    await quiet();
    events.push(...dispatch([two], ADDRESS, [one]));
    await quiet();
    events.push(...dispatch([three], ADDRESS, [one, two]));
    await quiet();
    expect(started).to.deep.equal(['one']);
    take('one');
    await quiet();
    expect(started).to.deep.equal(['one', 'two', 'three']);
    take('two');
    take('three');
    const [first, ...others] = await Promise.all(events);
    expect(first).to.deep.equal(dispatched('one'));
    expect(others).to.deep.equal(others.map(() => dispatched('one', 'two', 'three')));
  });
});

describe('the dispatch of messages of one subscription', () => {
  it('passes those of a rule with states on one by one', async () => {
    const { started, deliver, take } = held();
    const events = dispatchTo(deliver)(chain('m1', 'm2', 'm3'));
    for (const id of ['m1', 'm2', 'm3']) {
      await quiet();
      expect(started.at(-1)).to.equal(id);
      take(id);
    }
    expect(await Promise.all(events)).to.deep.equal([dispatched('m1', 'm2', 'm3'), undefined, undefined]);
  });

  it('passes those of other rules on together, in their order', async () => {
    const { started, deliver } = held();
    void Promise.all(
      dispatchTo(deliver)(['m1', 'm2', 'm3'].map((id) => message(id, { subscriptionId: 's1' }))),
    );
    await quiet();
    expect(started).to.deep.equal(['m1', 'm2', 'm3']);
  });

  it('does not have mails wait for webhooks', async () => {
    const { started, deliver } = held();
    const [m1, m2] = chain('m1', 'm2') as [DispatchEffect, DispatchEffect];
    void Promise.all(dispatchTo(deliver)([m1, { ...m1, id: 'm1_mail', message: MAIL }, m2]));
    await quiet();
    expect(started).to.deep.equal(['m1', 'm1_mail']);
  });

  it('passes none on behind one that failed, and the failed one first with the next commit', async () => {
    const { started, deliver, take, fail } = held();
    const dispatch = dispatchTo(deliver);
    const [m1, m2, m3] = chain('m1', 'm2', 'm3') as [DispatchEffect, DispatchEffect, DispatchEffect];
    const failing = Promise.allSettled(dispatch([m1, m2]));
    await quiet();
    fail('m1');
    expect((await failing).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(started).to.deep.equal(['m1']);
    const [event] = dispatch([m3], ADDRESS, [m1, m2]);
    for (const id of ['m1', 'm2', 'm3']) {
      await quiet();
      expect(started.at(-1)).to.equal(id);
      take(id);
    }
    expect(await event).to.deep.equal(dispatched('m1', 'm2', 'm3'));
    expect(started).to.deep.equal(['m1', 'm1', 'm2', 'm3']);
  });

  it('does not pass one on again that is taken over and still in the outbox', async () => {
    const { started, deliver, take } = held();
    const dispatch = dispatchTo(deliver);
    const [m1, m2] = chain('m1', 'm2') as [DispatchEffect, DispatchEffect];
    void Promise.all(dispatch([m1]));
    await quiet();
    take('m1');
    await quiet();
    const [event] = dispatch([m2], ADDRESS, [m1]);
    await quiet();
    take('m2');
    expect(await event).to.deep.equal(dispatched('m1', 'm2'));
    expect(started).to.deep.equal(['m1', 'm2']);
  });

  it('passes the overdue one on in the place of the same one before the limit', async () => {
    const overdue: unknown[] = [];
    const { deliver, take } = held();
    const dispatch = dispatchTo((id, event) => {
      overdue.push(event.overdue);
      return deliver(id);
    });
    void Promise.all(dispatch([message('other', { subscriptionId: 's1' })]));
    await quiet();
    const m1 = message('m1', { subscriptionId: 's1' });
    const [first] = dispatch([m1]);
    // A later commit joins the one that waits: its outbox is the newer one.
    const m2 = message('m2', { subscriptionId: 's1' });
    const [second] = dispatch([m2], ADDRESS, [{ ...m1, overdue: true }]);
    take('other');
    await quiet();
    take('m1');
    take('m2');
    expect([await first, await second]).to.deep.equal([dispatched('m1', 'm2'), undefined]);
    expect(overdue).to.deep.equal([false, true, false]);
  });
});
