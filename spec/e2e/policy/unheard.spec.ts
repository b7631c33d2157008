import { expect } from 'chai';
import type { Explanation } from '../../../src/policy/explain/shapes.js';
import type { Got, Receiver } from '../../delivery/senders/receiver.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { formsIn, pageIn, post } from '../../policy/http/mute/link-scene.js';
import type { ApiClient } from '../api-client.js';
import { type Scene, scenes } from '../scene.js';
import { addSubscribedRule, arrived, cpu, mailsIn, okBody, subscribe, windowSize } from './actions.js';

const QUIET = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
  repeat: 0,
  resolve: true,
};
const MAILED = { ...QUIET, action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look.' } };
const SERVER = '/v1.0/demo/servers/web-1';

describe('what a mute or a suspension kept back', () => {
  const open = scenes();

  /** A service whose clock stands still unless the spec moves it, and a receiver that answers `status`. */
  async function stage(settings: Readonly<Record<string, string>> = {}) {
    let now = Date.parse('2026-11-21T10:00:00Z');
    const answer = { status: 200 };
    const receiver = await open.receiver((response) => response.writeHead(answer.status).end());
    const service = await open.service({ MAIL_INTERVAL_S: '0', ...settings }, () => now);
    await windowSize(service.api, 1);
    return {
      ...service,
      receiver,
      answer,
      /** Lets seconds pass. */
      pass: (seconds: number): void => void (now += seconds * 1_000),
      /** Returns the time so many seconds from now. */
      at: (seconds: number): string => new Date(now + seconds * 1_000).toISOString(),
    };
  }

  const mute = async (api: ApiClient, id: string, seconds: number): Promise<void> =>
    void okBody(await api.call('PUT', `${SERVER}/subscription/${id}/mute`, { for: seconds }));
  const explained = async (api: ApiClient, ruleId: string) => {
    const answer = okBody(await api.call('GET', `${SERVER}/rules/${ruleId}/explain`));
    return (answer as unknown as Explanation).subscriptions[0]!;
  };
  /** Resolves once the subscription is suspended. */
  const suspended = (api: ApiClient, ruleId: string) =>
    eventually(
      async () => (await explained(api, ruleId)).suspended,
      SOON_MS,
      () => 'it is not suspended',
    );
  /** Resolves with what a receiver has got, once there are so many. */
  const told = async (receiver: Receiver, count: number) => (await arrived(receiver, count)).map(stated);

  it('fires with the first measurement after the mute that holds, once, with its true since', async () => {
    const { api, receiver, pass, at } = await stage();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, QUIET);
    await mute(api, subscriptionId, 2);
    const since = at(0);
    for (const value of [97, 97]) await cpu(api, 'web-1', value);
    expect(await explained(api, ruleId)).to.include({ state: 'firing', firings: 0, unsent: 1, since });
    pass(2);
    for (const value of [97, 97, 97]) await cpu(api, 'web-1', value);
    await cpu(api, 'web-1', 10);
    expect(await told(receiver, 2)).to.deep.equal([
      { state: 'firing', since, factId: 3 },
      { state: 'resolved', since, factId: 6 },
    ]);
    const { lastFiring, ...after } = await explained(api, ruleId);
    expect(after).to.include({ state: 'calm', firings: 1, unsent: 1 });
    expect(lastFiring).to.include({ factId: 3, at: at(0) });
    expect(receiver.got).to.have.length(2);
  });

  it('is resolved with the first measurement after the mute that does not hold', async () => {
    const { api, receiver, pass, at } = await stage();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, QUIET);
    const since = at(0);
    await cpu(api, 'web-1', 97);
    await mute(api, subscriptionId, 2);
    pass(1);
    await cpu(api, 'web-1', 10);
    expect(await explained(api, ruleId)).to.include({ state: 'calm', firings: 1, unsent: 1 });
    pass(1);
    await cpu(api, 'web-1', 11);
    await cpu(api, 'web-1', 12);
    await cpu(api, 'web-1', 98);
    expect(await told(receiver, 3)).to.deep.equal([
      { state: 'firing', since, factId: 1 },
      { state: 'resolved', since, factId: 3 },
      { state: 'firing', since: at(0), factId: 5 },
    ]);
  });

  it('is not resolved if it holds again by then: the new period is the old one', async () => {
    const { api, receiver, pass, at } = await stage();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, QUIET);
    const since = at(0);
    await cpu(api, 'web-1', 97);
    await mute(api, subscriptionId, 60);
    pass(1);
    await cpu(api, 'web-1', 10);
    pass(1);
    await cpu(api, 'web-1', 97);
    okBody(await api.call('DELETE', `${SERVER}/subscription/${subscriptionId}/mute`));
    await cpu(api, 'web-1', 97);
    expect(await explained(api, ruleId)).to.include({ state: 'firing', since, firings: 1, unsent: 2 });
    await cpu(api, 'web-1', 10);
    expect(await told(receiver, 2)).to.deep.equal([
      { state: 'firing', since, factId: 1 },
      { state: 'resolved', since, factId: 5 },
    ]);
  });

  it('fires after operation 15 if its firing was refused with 410', async () => {
    const { api, receiver, answer, pass, at } = await stage();
    answer.status = 410;
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, QUIET);
    const since = at(0);
    await cpu(api, 'web-1', 97);
    await suspended(api, ruleId);
    pass(5);
    await cpu(api, 'web-1', 97);
    answer.status = 200;
    await subscribe(api, 'web-1', ruleId, receiver.origin);
    await cpu(api, 'web-1', 97);
    await cpu(api, 'web-1', 97);
    await cpu(api, 'web-1', 10);
    expect(await told(receiver, 3)).to.deep.equal([
      { state: 'firing', since, factId: 1 },
      { state: 'firing', since, factId: 3 },
      { state: 'resolved', since, factId: 5 },
    ]);
    expect(await explained(api, ruleId)).to.include({ firings: 2, unsent: 0 });
  });

  it('is resolved after operation 15 if that was refused with 410, or kept back', async () => {
    const { api, receiver, answer, at } = await stage();
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, QUIET);
    const since = at(0);
    await cpu(api, 'web-1', 97);
    await told(receiver, 1);
    answer.status = 410;
    await cpu(api, 'web-1', 10);
    await suspended(api, ruleId);
    await cpu(api, 'web-1', 10);
    answer.status = 200;
    await subscribe(api, 'web-1', ruleId, receiver.origin);
    await cpu(api, 'web-1', 10);
    await cpu(api, 'web-1', 10);
    await cpu(api, 'web-1', 97);
    expect(await told(receiver, 4)).to.deep.equal([
      { state: 'firing', since, factId: 1 },
      { state: 'resolved', since, factId: 2 },
      { state: 'resolved', since, factId: 4 },
      { state: 'firing', since: at(0), factId: 6 },
    ]);
  });

  it('is notified by mail too', async () => {
    const { api, receiver, pass } = await stage();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, MAILED);
    await mute(api, subscriptionId, 2);
    await cpu(api, 'web-1', 97);
    pass(2);
    await cpu(api, 'web-1', 97);
    await mailsIn(api, 1);
    await mute(api, subscriptionId, 2);
    await cpu(api, 'web-1', 10);
    pass(2);
    await cpu(api, 'web-1', 10);
    const mails = await mailsIn(api, 2);
    expect(mails.map(({ subject }) => subject)).to.deep.equal([
      'Resolved: busy on web-1',
      'Firing: busy on web-1',
    ]);
  });

  describe('of a lack of measurements', () => {
    const SILENT = { ...QUIET, noData: 10 };

    /** A subscription whose `noData` is due in a mute of 60 s. */
    async function silent(rule: object = SILENT) {
      const all = await stage();
      const { api, receiver, pass, at } = all;
      const made = await addSubscribedRule(api, 'web-1', receiver.origin, rule);
      await cpu(api, 'web-1', 1);
      const since = at(0);
      await mute(api, made.subscriptionId, 60);
      pass(10);
      await eventually(
        async () => (await explained(api, made.ruleId)).unsent === 1 || undefined,
        SOON_MS,
        () => 'no message was kept back',
      );
      return { ...all, ...made, since };
    }

    const isUnderWay = async ({ api }: Scene, ruleId: string): Promise<void> => {
      expect(await explained(api, ruleId)).to.include({ state: 'noData', unsent: 1 });
    };

    it('is notified when the mute ends, without a measurement', async () => {
      const one = await silent();
      await isUnderWay(one, one.ruleId);
      one.pass(50);
      expect(await told(one.receiver, 1)).to.deep.equal([
        { state: 'noData', since: one.since, factId: null },
      ]);
      expect(await explained(one.api, one.ruleId)).to.include({ state: 'noData', unsent: 1 });
    });

    it('is notified at once when the mute is taken away, by the API and by the link of a mail', async () => {
      const one = await silent();
      okBody(await one.api.call('DELETE', `${SERVER}/subscription/${one.subscriptionId}/mute`));
      expect(await told(one.receiver, 1)).to.deep.equal([
        { state: 'noData', since: one.since, factId: null },
      ]);

      const other = await silent({ ...MAILED, noData: 10, repeat: 0 });
      okBody(await other.api.call('DELETE', `${SERVER}/subscription/${other.subscriptionId}/mute`));
      const [mail] = await mailsIn(other.api, 1);
      const link = /http\S+\/mute\/\S+/.exec(mail!.text)![0];
      await cpu(other.api, 'web-1', 1);
      await mute(other.api, other.subscriptionId, 60);
      other.pass(10);
      await eventually(
        async () => (await explained(other.api, other.ruleId)).unsent === 2 || undefined,
        SOON_MS,
        () => 'no message was kept back',
      );
      await pageIn(await post(link, formsIn(await pageIn(await fetch(link)))['Unmute']!));
      const mails = await mailsIn(other.api, 2);
      expect(mails.map(({ subject }) => subject)).to.deep.equal([
        'No data: busy on web-1',
        'No data: busy on web-1',
      ]);
    });

    it('is notified when a shorter mute ends, and not before a longer one does', async () => {
      const one = await silent();
      await mute(one.api, one.subscriptionId, 3_600);
      one.pass(50);
      await mute(one.api, one.subscriptionId, 5);
      await isUnderWay(one, one.ruleId);
      one.pass(5);
      expect(await told(one.receiver, 1)).to.deep.equal([
        { state: 'noData', since: one.since, factId: null },
      ]);
    });

    it('is never notified if a measurement comes first', async () => {
      const one = await silent();
      one.pass(49);
      await cpu(one.api, 'web-1', 97);
      const since = one.at(0);
      one.pass(1);
      await cpu(one.api, 'web-1', 97);
      expect(await told(one.receiver, 1)).to.deep.equal([{ state: 'firing', since, factId: 3 }]);
    });

    it('is notified when operation 15 ends the suspension, also if it was the message that was refused', async () => {
      const { api, receiver, answer, pass, at } = await stage();
      const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, SILENT);
      await cpu(api, 'web-1', 1);
      const since = at(0);
      answer.status = 410;
      pass(10);
      await suspended(api, ruleId);
      pass(100);
      answer.status = 200;
      await subscribe(api, 'web-1', ruleId, receiver.origin);
      const message = { state: 'noData', since, factId: null };
      expect(await told(receiver, 2)).to.deep.equal([message, message]);
    });

    it('is notified after a restart', async () => {
      const folder = await open.folder();
      let now = Date.parse('2026-11-21T10:00:00Z');
      const receiver = await open.receiver();
      const first = await open.service({ DATA_DIR: folder }, () => now);
      await windowSize(first.api, 1);
      const made = await addSubscribedRule(first.api, 'web-1', receiver.origin, SILENT);
      await cpu(first.api, 'web-1', 1);
      await mute(first.api, made.subscriptionId, 60);
      now += 10_000;
      await eventually(
        async () => (await explained(first.api, made.ruleId)).unsent === 1 || undefined,
        SOON_MS,
        () => 'no message was kept back',
      );
      await first.close();
      await open.service({ DATA_DIR: folder }, () => now);
      now += 50_000;
      expect((await told(receiver, 1)).map(({ state }) => state)).to.deep.equal(['noData']);
    });
  });
});

/** The members of a webhook that say what holds. */
function stated({ body }: Got) {
  const { state, since, factId } = JSON.parse(body) as Record<'state' | 'since' | 'factId', unknown>;
  return { state, since, factId };
}
