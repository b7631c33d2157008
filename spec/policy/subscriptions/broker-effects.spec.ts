import { expect } from 'chai';
import { type Broker, BrokerRefused } from '../../../src/broker/port.js';
import { brokerEffects } from '../../../src/policy/subscriptions/broker-effects.js';
import type {
  IntendEffect,
  EffectOf,
  RetractEffect,
  ServerContext,
} from '../../../src/policy/server/server-context.js';
import type { BrokerUse } from '../../../src/policy/subscriptions/broker-use.js';
import { effectRun } from '../../actors/stage/effect-run.js';
import { ADDRESS, NOON } from '../server/driven-server.js';

const MARK = '0123456789abcdef01234567';
const CONTEXT = {} as ServerContext;
const intent: IntendEffect = { id: `intend:${MARK}`, type: 'intend', mark: MARK, at: NOON, known: true };
const retract: RetractEffect = { ...intent, id: `retract:${MARK}`, type: 'retract' };
const renew: EffectOf<'renew'> = { id: 'renew:s1', type: 'renew', subscriptionId: 's1', brokerId: 'b1' };

/** A broker that has lost all subscriptions, and the requests to it. */
function forgetful() {
  const asked: string[] = [];
  const port: Broker = {
    async subscribe(_subscription, mark) {
      asked.push(`subscribe ${mark}`);
      return { id: 'b2', expiresAt: undefined };
    },
    async retract(mark) {
      asked.push(`retract ${mark}`);
      return ['b9'];
    },
    async renew(id) {
      asked.push(`renew ${id}`);
      return undefined;
    },
    async unsubscribe() {},
    async close() {},
  };
  return { asked, port };
}

function effects(port: Broker, more: { shared?: boolean; now?: number; followed?: readonly string[] } = {}) {
  const { shared = false, now = NOON, followed = [] } = more;
  const use: BrokerUse = {
    port,
    publicUrl: () => 'http://here',
    headers: {},
    entityType: 'host',
    attributes: ['cpuLoadPct'],
    tenantOf: (tenantId) => `t_${tenantId}`,
    followed: new Set(followed),
  };
  return brokerEffects({ shared }, use, () => now);
}

describe('the effects of a server at the broker', () => {
  it('leave an intent alone while a request of this process follows it', async () => {
    const { port } = forgetful();
    const { type } = await effects(port, { followed: [MARK] }).intend(intent);
    expect(type).to.equal('followed');
  });

  it('give up an intent that no request follows: at once with an unshared store, else after 15 s', async () => {
    const { port } = forgetful();
    const typeOf = async (more: Parameters<typeof effects>[1]): Promise<string> =>
      (await effects(port, more).intend(intent)).type;
    expect(await typeOf({})).to.equal('settle');
    expect(await typeOf({ shared: true, now: NOON + 14_999 })).to.equal('followed');
    expect(await typeOf({ shared: true, now: NOON + 15_000 })).to.equal('settle');
  });

  it('report the subscriptions that ended under a mark; none if the broker refuses', async () => {
    const { port } = forgetful();
    const ended = (one: Broker) => effects(one).retract(retract, CONTEXT, effectRun(ADDRESS));
    expect(await ended(port)).to.deep.include({ type: 'retracted', mark: MARK, brokerIds: ['b9'] });
    const refusing = { ...port, retract: () => Promise.reject(new BrokerRefused('no')) };
    expect(await ended(refusing)).to.deep.include({ type: 'retracted', brokerIds: [] });
  });

  it('replace a lost subscription, with its id as the mark at every attempt', async () => {
    const { asked, port } = forgetful();
    const event = await effects(port).renew(renew, CONTEXT, effectRun(ADDRESS));
    const broker = { id: 'b2', expiresAt: undefined, checkedAt: NOON };
    expect(event).to.deep.include({ type: 'renewed', broker });
    expect(asked.splice(0)).to.deep.equal(['renew b1', 'subscribe b1']);
    await effects(port).renew(renew, CONTEXT, effectRun(ADDRESS, { repeated: true }));
    expect(asked).to.deep.equal(['renew b1', 'retract b1', 'subscribe b1']);
  });

  it('end a subscription in the tenant of the broker that belongs to the server', async () => {
    const ended: unknown[] = [];
    const port: Broker = {
      ...forgetful().port,
      unsubscribe: async (...given) => void ended.push(given),
    };
    const entry: EffectOf<'unsubscribe'> = { id: 'unsubscribe:b1', type: 'unsubscribe', brokerId: 'b1' };
    await effects(port).unsubscribe(entry, CONTEXT, effectRun(ADDRESS));
    expect(ended).to.deep.equal([['b1', `t_${ADDRESS.tenant}`]]);
  });
});
