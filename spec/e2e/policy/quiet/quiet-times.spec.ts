import { expect } from 'chai';
import { embeddedTenantId } from '../../../../src/identity/embedded.js';
import type { Explanation } from '../../../../src/policy/explain/shapes.js';
import type { QuietTime } from '../../../../src/policy/quiet/quiet-time.js';
import type { QuietView } from '../../../../src/policy/quiet/shapes.js';
import type { ServerContext } from '../../../../src/policy/server/server-context.js';
import type { TenantContext } from '../../../../src/policy/tenant/tenant-machine.js';
import type { Receiver } from '../../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { leastHold } from '../../../system/longest-hold.js';
import { addSubscribedRule, arrived, cpu, okBody, windowSize } from '../actions.js';

const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
  repeat: 0,
  resolve: true,
};
const NIGHTS = {
  servers: ['web-*'],
  start: '2026-11-21T22:00:00',
  duration: 28_800,
  timezone: 'Europe/Berlin',
  rrule: 'FREQ=DAILY',
  comment: 'Nightly jobs',
};
const QUIET = '/v1.0/demo/quiet';
const OPERATOR = { 'x-operator-token': 'let-the-operators-in' };

describe('quiet times', () => {
  const open = scenes();

  /** A service whose clock stands still unless the spec moves it. It begins on a Saturday, at 21:00 in Berlin. */
  async function stage(settings: Readonly<Record<string, string>> = {}) {
    let now = Date.parse('2026-11-21T20:00:00Z');
    const receiver = await open.receiver();
    const start = () =>
      open.service({ OPERATOR_TOKEN: OPERATOR['x-operator-token'], ...settings }, () => now);
    const service = await start();
    await windowSize(service.api, 1);
    return {
      ...service,
      close: () => service.close(),
      receiver,
      start,
      /** Lets hours pass. */
      pass: (hours: number): void => void (now += hours * 3_600_000),
    };
  }

  const put = async (api: ApiClient, name: string, body: object): Promise<QuietView> =>
    okBody(await api.call('PUT', `${QUIET}/${name}`, body)) as unknown as QuietView;
  const explained = async (api: ApiClient, server: string, ruleId: string) => {
    const answer = okBody(await api.call('GET', `/v1.0/demo/servers/${server}/rules/${ruleId}/explain`));
    return (answer as unknown as Explanation).subscriptions[0]!;
  };
  const contextOf = async <C>(api: ApiClient, kind: string, name: string): Promise<C> => {
    const path = `/operator/actors/${kind}/${embeddedTenantId('demo')}/${name}`;
    return okBody(await api.call('GET', path, undefined, OPERATOR))['context'] as unknown as C;
  };
  const told = async (receiver: Receiver, count: number): Promise<readonly string[]> =>
    (await arrived(receiver, count)).map(({ body }) => (JSON.parse(body) as { state: string }).state);

  it('are answered as they were given, with their next occurrences, listed, changed and deleted', async () => {
    const { api, pass } = await stage();
    const made = await put(api, 'nights', NIGHTS);
    expect(made).to.deep.include({ name: 'nights', ...NIGHTS });
    expect(made.next).to.deep.equal([
      { from: '2026-11-21T21:00:00.000Z', to: '2026-11-22T05:00:00.000Z' },
      { from: '2026-11-22T21:00:00.000Z', to: '2026-11-23T05:00:00.000Z' },
      { from: '2026-11-23T21:00:00.000Z', to: '2026-11-24T05:00:00.000Z' },
    ]);
    pass(8);
    const later = okBody(await api.call('GET', `${QUIET}/nights`)) as unknown as QuietView;
    expect(later.next[0]).to.deep.equal(made.next[0]);
    const once = await put(api, 'now', { servers: ['db-1'], duration: 60 });
    expect(once).to.deep.include({
      start: '2026-11-22T04:00:00',
      timezone: 'UTC',
      next: [{ from: '2026-11-22T04:00:00.000Z', to: '2026-11-22T04:01:00.000Z' }],
    });
    pass(1);
    const all = okBody(await api.call('GET', QUIET)) as unknown as { quiet: QuietView[] };
    expect(all.quiet.map(({ name, next }) => [name, next.length])).to.deep.equal([
      ['nights', 3],
      ['now', 0],
    ]);
    await put(api, 'nights', { servers: ['*'], duration: 60 });
    expect((await api.call('DELETE', `${QUIET}/now`)).text).to.equal('');
    expect((await api.call('GET', `${QUIET}/now`)).status).to.equal(404);
    expect((await api.call('DELETE', `${QUIET}/now`)).status).to.equal(404);
    const left = okBody(await api.call('GET', QUIET)) as unknown as { quiet: QuietView[] };
    expect(left.quiet.map(({ name, servers }) => [name, servers])).to.deep.equal([['nights', ['*']]]);
  });

  it('mute what they name while they last, and the receiver is sent then what holds', async () => {
    const { api, receiver, pass } = await stage();
    const named = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    const other = await addSubscribedRule(api, 'db-1', receiver.origin, BUSY);
    await put(api, 'nights', NIGHTS);
    pass(1);
    await cpu(api, 'web-1', 97);
    await cpu(api, 'db-1', 97);
    const until = '2026-11-22T05:00:00.000Z';
    const muted = await explained(api, 'web-1', named.ruleId);
    expect(muted).to.include({
      state: 'firing',
      firings: 0,
      unsent: 1,
      mutedUntil: until,
      mutedBy: 'nights',
    });
    expect(muted.sentence).to.match(/^Muted by "nights" until 2026-11-22T05:00:00Z\. Holds since /);
    const shown = await api.call('GET', `/v1.0/demo/servers/web-1/subscription/${named.subscriptionId}`);
    expect(okBody(shown)).to.include({ mutedUntil: until });
    expect(await explained(api, 'db-1', other.ruleId)).to.include({ firings: 1, unsent: 0 });
    pass(7.999);
    await cpu(api, 'web-1', 97);
    expect(await explained(api, 'web-1', named.ruleId)).to.include({ firings: 0, unsent: 1 });
    pass(0.001);
    await cpu(api, 'web-1', 97);
    const after = await explained(api, 'web-1', named.ruleId);
    expect(after).to.include({ firings: 1, unsent: 1 }).and.not.to.have.any.keys('mutedUntil', 'mutedBy');
    expect(await told(receiver, 2)).to.deep.equal(['firing', 'firing']);
  });

  it('mute a subscription until the later end of several, its own mute included', async () => {
    const { api, receiver, pass } = await stage();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    await put(api, 'nights', NIGHTS);
    await put(api, 'short', { servers: ['w*-1'], duration: 7_200 });
    const mutedUntil = async () => (await explained(api, 'web-1', ruleId)).mutedUntil;
    expect(await mutedUntil()).to.equal('2026-11-21T22:00:00.000Z');
    pass(1);
    expect(await mutedUntil()).to.equal('2026-11-22T05:00:00.000Z');
    const own = `/v1.0/demo/servers/web-1/subscription/${subscriptionId}/mute`;
    okBody(await api.call('PUT', own, { for: 36_000 }));
    const longest = await explained(api, 'web-1', ruleId);
    expect(longest)
      .to.include({ mutedUntil: '2026-11-22T07:00:00.000Z' })
      .and.not.to.have.property('mutedBy');
    expect(longest.sentence).to.match(/^Muted until 2026-11-22T07:00:00Z\. /);
    okBody(await api.call('DELETE', own));
    expect(await mutedUntil()).to.equal('2026-11-22T05:00:00.000Z');
  });

  it('mute subscriptions and servers from their first moment, and of some rules alone if they name these', async () => {
    const { api, receiver } = await stage();
    await put(api, 'now', { servers: ['web-*'], rules: ['busy'], duration: 3_600 });
    const busy = await addSubscribedRule(api, 'web-9', receiver.origin, BUSY);
    const loud = await addSubscribedRule(api, 'web-9', receiver.origin, { ...BUSY, name: 'loud' });
    await cpu(api, 'web-9', 97);
    expect(await explained(api, 'web-9', busy.ruleId)).to.include({ firings: 0, unsent: 1, mutedBy: 'now' });
    expect(await explained(api, 'web-9', loud.ruleId)).to.include({ firings: 1, unsent: 0 });
    expect(await told(receiver, 1)).to.deep.equal(['firing']);
  });

  it('end their mutes at once when they are changed or deleted', async () => {
    const { api, receiver } = await stage();
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    await put(api, 'now', { servers: ['web-*'], duration: 3_600 });
    await cpu(api, 'web-1', 97);
    await put(api, 'now', { servers: ['db-*'], duration: 3_600 });
    await cpu(api, 'web-1', 97);
    expect(await told(receiver, 1)).to.deep.equal(['firing']);
    await put(api, 'now', { servers: ['web-*'], duration: 3_600 });
    await cpu(api, 'web-1', 1);
    expect(await explained(api, 'web-1', ruleId)).to.include({ firings: 1, unsent: 2 });
    okBody(await api.call('DELETE', `${QUIET}/now`));
    await cpu(api, 'web-1', 1);
    expect(await told(receiver, 2)).to.deep.equal(['firing', 'resolved']);
  });

  describe('keep a noData back', () => {
    /** A server without data since a quiet time began. */
    async function silent(settings: Readonly<Record<string, string>> = {}) {
      const all = await stage(settings);
      const { api, receiver, pass } = all;
      await put(api, 'nights', NIGHTS);
      pass(1);
      const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, { ...BUSY, noData: 600 });
      await cpu(api, 'web-1', 1);
      pass(1);
      const unsent = (client: ApiClient, count: number) =>
        eventually(
          async () => (await explained(client, 'web-1', ruleId)).unsent === count || undefined,
          SOON_MS,
          () => 'no message was kept back',
        );
      await unsent(api, 1);
      return { ...all, ruleId, unsent };
    }

    it('and send it at their end, without a measurement', async () => {
      const { api, receiver, pass, ruleId } = await silent();
      const { noDataAt } = await contextOf<ServerContext>(api, 'server', 'web-1');
      expect(noDataAt).to.equal(Date.parse('2026-11-22T05:00:00Z'));
      pass(6.99);
      expect(await explained(api, 'web-1', ruleId)).to.include({ state: 'noData', unsent: 1 });
      expect(receiver.got).to.have.length(0);
      pass(0.01);
      expect(await told(receiver, 1)).to.deep.equal(['noData']);
    });

    it('and send it at their end after a restart', async () => {
      const folder = await open.folder();
      const { receiver, pass, close, start } = await silent({ DATA_DIR: folder });
      await close();
      pass(7);
      await start();
      expect(await told(receiver, 1)).to.deep.equal(['noData']);
    });

    it('and send it at once when they are deleted', async () => {
      const { api, receiver } = await silent();
      okBody(await api.call('DELETE', `${QUIET}/nights`));
      expect(await told(receiver, 1)).to.deep.equal(['noData']);
    });

    it('and not before another ends that has begun meanwhile', async () => {
      const { api, receiver, pass, ruleId } = await silent();
      await put(api, 'longer', { servers: ['*'], duration: 43_200 });
      pass(8);
      await cpu(api, 'db-1', 1);
      expect(await explained(api, 'web-1', ruleId)).to.include({ unsent: 1, mutedBy: 'longer' });
      pass(4);
      expect(await told(receiver, 1)).to.deep.equal(['noData']);
    });
  });

  it('go on after a restart, also after one for which more time has passed than was planned', async () => {
    const folder = await open.folder();
    const { api, receiver, pass, close, start } = await stage({ DATA_DIR: folder });
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    await put(api, 'nights', NIGHTS);
    await close();
    // To 23:00 of a night in summer.
    pass(200 * 24 + 1);
    const again = await start();
    await cpu(again.api, 'web-1', 97);
    expect(await explained(again.api, 'web-1', ruleId)).to.include({
      firings: 0,
      unsent: 1,
      mutedBy: 'nights',
    });
    const shown = okBody(await again.api.call('GET', `${QUIET}/nights`)) as unknown as QuietView;
    expect(shown.next[0]).to.deep.equal({ from: '2027-06-09T20:00:00.000Z', to: '2027-06-10T04:00:00.000Z' });
    expect(receiver.got).to.have.length(0);
  });

  it('are planned further before the plan runs out', async () => {
    const { api, pass } = await stage();
    await put(api, 'nights', NIGHTS);
    const plan = async (): Promise<QuietTime['plan']> =>
      (await contextOf<TenantContext>(api, 'tenant', 'tenant')).quiet[0]!.plan;
    const first = await plan();
    pass(17 * 24);
    const next = await eventually(
      async () => {
        const now = await plan();
        return now.to! > first.to! ? now : undefined;
      },
      SOON_MS,
      () => 'it was not planned',
    );
    expect(next.renewAt).to.be.greaterThan(first.renewAt!);
  });

  it('are made by operators for a tenant, who then neither changes nor deletes them', async () => {
    const { api } = await stage();
    const path = '/operator/tenants/demo/quiet/move';
    const body = { servers: ['*'], duration: 60 };
    const made = okBody(await api.call('PUT', path, body, OPERATOR));
    expect(made).to.include({ name: 'move', by: 'operator', operator: true });
    const own = okBody(await api.call('GET', `${QUIET}/move`));
    expect(own).to.deep.equal(okBody(await api.call('GET', path, undefined, OPERATOR)));
    for (const [method, sent] of [
      ['PUT', body],
      ['DELETE', undefined],
    ] as const) {
      const refused = await api.call(method, `${QUIET}/move`, sent);
      expect(refused.status).to.equal(403);
      expect(refused.body.error!.message).to.match(/^name: operators made the quiet time move/);
    }
    await put(api, 'own', body);
    const all = okBody(await api.call('GET', '/operator/tenants/demo/quiet', undefined, OPERATOR));
    expect((all as unknown as { quiet: QuietView[] }).quiet.map(({ name }) => name)).to.deep.equal([
      'move',
      'own',
    ]);
    okBody(await api.call('DELETE', '/operator/tenants/demo/quiet/own', undefined, OPERATOR));
    okBody(await api.call('DELETE', path, undefined, OPERATOR));
    expect((await api.call('PUT', '/operator/tenants/nobody/quiet/x', body, OPERATOR)).status).to.equal(404);
    expect((await api.call('PUT', path, body, { 'x-auth-token': api.token })).status).to.equal(401);
  });

  it('hold up nobody, whatever their rule', async () => {
    const { api } = await stage();
    const hostile = { servers: ['*'], duration: 60, rrule: 'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30' };
    let took = 0;
    const hold = await leastHold(async () => {
      const begun = performance.now();
      expect((await api.call('PUT', `${QUIET}/x`, hostile)).status).to.equal(400);
      took = performance.now() - begun;
    }, 50);
    expect(hold).to.be.lessThan(Math.max(50, took / 4));
  });

  it('are at most 100 of a tenant', async () => {
    const { api } = await stage();
    for (let i = 0; i < 100; i += 1) await put(api, `q${i}`, { servers: ['*'], duration: 60 });
    const more = await api.call('PUT', `${QUIET}/more`, { servers: ['*'], duration: 60 });
    expect(more.status).to.equal(409);
    expect(more.body.error!.message).to.match(/^name: a tenant can have at most 100 quiet times/);
    await put(api, 'q7', { servers: ['a'], duration: 60 });
  });

  it('are refused with the name of what is wrong, and nothing is changed', async () => {
    const { api } = await stage();
    const good = { servers: ['web-*'], duration: 60 };
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{}, /servers: must be an array of 1 to 50.*duration: must be an integer/],
      [{ ...good, servers: [] }, /^servers: /],
      [{ ...good, servers: ['web/1'] }, /^servers\[0\]: must be a pattern/],
      [{ ...good, rules: [''] }, /^rules\[0\]: /],
      [{ ...good, rules: ['x'.repeat(257)] }, /^rules\[0\]: /],
      [{ ...good, duration: 59 }, /^duration: must be an integer from 60 to 2592000/],
      [{ ...good, start: '2026-12-01T22:00:00Z' }, /^start: must be a local time .* without Z or offset/],
      [{ ...good, start: '2026-12-01T22:00:00+01:00' }, /^start: /],
      [{ ...good, start: '2026-02-30T22:00:00' }, /^start: /],
      [{ ...good, timezone: '+01:00' }, /^timezone: must be a name of the IANA database/],
      [{ ...good, timezone: 'Europe/Nowhere' }, /^timezone: /],
      [{ ...good, rrule: 'every night' }, /^rrule: must be an RRULE of RFC 5545/],
      [{ ...good, rrule: 'FREQ=DAILY;BYHOUR=24' }, /^rrule: BYHOUR must be numbers from 0 to 23/],
      [{ ...good, rrule: 'FREQ=DAILY\nEXDATE:20270101T000000' }, /^rrule: /],
      [{ ...good, rrule: 'FREQ=WEEKLY;BYMONTHDAY=3' }, /^rrule: cannot be used: BYMONTHDAY MUST NOT/],
      [
        { ...good, rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' },
        /^rrule: takes too long to compute, or never/,
      ],
      [{ ...good, rrule: 'FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z' }, /^rrule: must not have both/],
      [{ ...good, comment: 'x'.repeat(1_001) }, /^comment: /],
      [{ ...good, end: 1 }, /^body: must not have end/],
    ];
    for (const [body, message] of wrong) {
      const refused = await api.call('PUT', `${QUIET}/x`, body);
      expect(refused.status, JSON.stringify(body)).to.equal(400);
      expect(refused.body.error!.message).to.match(message);
    }
    expect((await api.call('PUT', `${QUIET}/a.b`, good)).body.error!.message).to.match(
      /^name in the path must/,
    );
    expect(okBody(await api.call('GET', QUIET))).to.deep.equal({ quiet: [] });
  });
});
