import { expect } from 'chai';
import { scenes } from '../../scene.js';
import { factsBody, okBody } from '../actions.js';
import { alertStage, RESEND_S, SERVER, START } from './alert-stage.js';

const iso = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

describe('a subscription to an Alertmanager', () => {
  const open = scenes();

  it('gets the alert when it begins, again while it fires, and twice that it is over', async () => {
    const stage = await alertStage(open);
    const { ruleId, subscriptionId } = await stage.add({ labels: { severity: 'critical' } });
    const facts = factsBody({ cpuLoadPct: '91.5' });
    expect(okBody(await stage.api.call('POST', '/demo/servers/web-1', facts))['title']).to.equal(
      '1 fact taken, 1 firing',
    );
    const [first] = await stage.newest(1);
    expect(stage.receiver.got[0]).to.include({ method: 'POST', url: '/api/v2/alerts' });
    expect(stage.receiver.got[0]!.headers).to.include.keys('webhook-id', 'webhook-signature');
    const { tenant } = (await stage.deliveries())[0]!;
    const sentence = 'Holds since 2026-11-21T10:00:00Z: the mean of cpu is 91.5, greater than 85.';
    expect(first).to.deep.equal({
      labels: { alertname: 'busy', tenant, server: 'web-1', rule_id: ruleId, severity: 'critical' },
      annotations: {
        summary: 'Firing: busy on web-1',
        description: sentence,
        subscription_id: subscriptionId,
      },
      startsAt: iso(0),
      endsAt: iso(4 * RESEND_S),
      generatorURL: `${new URL(first!.generatorURL).origin}/console/servers/${tenant}/web-1`,
    });

    // A plain rule fires with each evaluation; the alert is the same.
    await stage.cpu(93);
    expect(await stage.explained(ruleId)).to.include({ state: 'firing', firings: 1 });
    stage.pass(RESEND_S);
    const [again] = await stage.newest(2);
    expect(again).to.deep.include({ labels: first!.labels, startsAt: iso(0), endsAt: iso(5 * RESEND_S) });
    expect(again!.annotations['description']).to.include('the mean of cpu is 93');
    stage.pass(RESEND_S);
    await stage.newest(3);
    await stage.states('firing');
    expect((await stage.explained(ruleId)).lastFiring).to.include({ factId: 1, delivery: 'delivered' });

    stage.pass(5);
    await stage.cpu(20);
    const [over] = await stage.newest(4);
    expect(over).to.deep.include({ labels: first!.labels, startsAt: iso(0), endsAt: iso(125) });
    expect(over!.annotations).to.include({
      summary: 'Resolved: busy on web-1',
      description: 'Does not hold: the mean of cpu is 20, not greater than 85.',
    });
    await stage.states('ended');
    stage.pass(60);
    expect(await stage.newest(5)).to.deep.equal([over]);
    await stage.states();
    const [delivery, ...others] = await stage.deliveredOnes();
    expect(others).to.deep.equal([]);
    expect(delivery!.to).to.equal(stage.receiver.origin);
    expect(delivery!.attempts).to.have.length(5);
    expect((await stage.explained(ruleId)).firings).to.equal(1);
    const { text } = await stage.api.call('GET', '/metrics');
    expect(text).to.match(/^mirzam_firings_total 1$/m);
  });

  it('gets nothing about the end again if it fires again within the minute', async () => {
    const stage = await alertStage(open);
    await stage.add();
    await stage.cpu(91);
    await stage.newest(1);
    stage.pass(10);
    await stage.cpu(20);
    await stage.newest(2);
    stage.pass(10);
    await stage.cpu(92);
    const [again, ...others] = await stage.newest(3);
    expect(others).to.deep.equal([]);
    expect(again).to.include({ startsAt: iso(20), endsAt: iso(20 + 4 * RESEND_S) });
    stage.pass(60);
    const last = await stage.newest(4);
    expect(last.map(({ endsAt }) => endsAt)).to.deep.equal([iso(80 + 4 * RESEND_S)]);
  });

  const ENDS: Readonly<
    Record<
      string,
      (
        stage: Awaited<ReturnType<typeof alertStage>>,
        ids: { ruleId: string; subscriptionId: string },
      ) => Promise<unknown>
    >
  > = {
    subscription: async ({ api }, { subscriptionId }) =>
      okBody(await api.call('DELETE', `${SERVER}/subscription/${subscriptionId}`)),
    rule: async ({ api }, { ruleId }) => okBody(await api.call('DELETE', `${SERVER}/rules/${ruleId}`)),
    condition: async ({ api }, { ruleId }) =>
      okBody(
        await api.call('PUT', `${SERVER}/rules/${ruleId}`, {
          condition: { mem: { value: 1, operand: 'greater' } },
        }),
      ),
    server: async ({ api }) => okBody(await api.call('DELETE', SERVER)),
  };
  for (const [what, end] of Object.entries(ENDS)) {
    it(`gets that the alert is over if its ${what} goes`, async () => {
      const stage = await alertStage(open);
      const ids = await stage.add();
      await stage.cpu(91);
      await stage.newest(1);
      stage.pass(7);
      await end(stage, ids);
      const [over] = await stage.newest(2);
      expect(over).to.include({ startsAt: iso(0), endsAt: iso(7) });
      stage.pass(60);
      expect(await stage.newest(3)).to.deep.equal([over]);
      await stage.states();
    });
  }

  it('gets no end of an alert that another subscription goes on with', async () => {
    const stage = await alertStage(open);
    const { ruleId, subscriptionId } = await stage.add();
    await stage.cpu(91);
    await stage.newest(1);
    const path = `${SERVER}/subscription`;
    const wanted = {
      ruleId,
      url: `${stage.receiver.origin}/`,
      format: 'alertmanager',
      headers: { 'X-Key': 'new' },
    };
    okBody(await stage.api.call('POST', path, wanted));
    await stage.cpu(92);
    await stage.newest(2);
    okBody(await stage.api.call('DELETE', `${path}/${subscriptionId}`));
    await stage.states('firing');
    stage.pass(RESEND_S);
    await stage.newest(3);
    expect(stage.posted().every(([alert]) => Date.parse(alert!.endsAt) > START)).to.equal(true);
    expect(stage.receiver.got[2]!.headers).to.include({ 'x-key': 'new' });
  });

  it('gets the end of the alert with the labels that it had, and the one with its labels now', async () => {
    const stage = await alertStage(open);
    const { ruleId } = await stage.add({ labels: { team: 'a' } });
    await stage.cpu(91);
    await stage.newest(1);
    stage.pass(7);
    okBody(
      await stage.api.call('PUT', `${SERVER}/rules/${ruleId}`, { labels: { team: 'b', server: 'mine' } }),
    );
    const told = await stage.newest(2);
    expect(told.map(({ labels, endsAt }) => [labels['team'], labels['server'], endsAt])).to.deep.equal([
      ['b', 'web-1', iso(7 + 4 * RESEND_S)],
      ['a', 'web-1', iso(7)],
    ]);
  });

  it('gets nothing while it is muted, and nothing about an end in that time', async () => {
    const stage = await alertStage(open);
    const { subscriptionId } = await stage.add();
    await stage.cpu(91);
    await stage.newest(1);
    const mute = `${SERVER}/subscription/${subscriptionId}/mute`;
    okBody(await stage.api.call('PUT', mute, { for: 600 }));
    stage.pass(RESEND_S);
    await stage.cpu(92);
    stage.pass(541);
    const [again] = await stage.newest(2);
    expect(again).to.include({ startsAt: iso(0), endsAt: iso(601 + 4 * RESEND_S) });
    okBody(await stage.api.call('PUT', mute, { for: 600 }));
    await stage.cpu(20);
    await stage.states();
    stage.pass(700);
    await stage.cpu(91);
    const [next] = await stage.newest(3);
    expect(next).to.include({ startsAt: iso(1301) });
  });

  it('gets the newest state alone once it is there again', async () => {
    const stage = await alertStage(open);
    const { ruleId } = await stage.add();
    stage.answers(503);
    await stage.cpu(91);
    await stage.newest(1);
    const pending = async () => (await stage.deliveries()).filter(({ state }) => state === 'pending');
    for (let i = 1; i <= 6; i += 1) {
      await stage.cpu(i % 2 === 1 ? 20 : 91);
      await stage.newest(1 + i);
      expect(await pending()).to.have.length(1);
    }
    expect((await stage.explained(ruleId)).lastFiring).to.include({ delivery: 'pending' });
    stage.answers(200);
    const before = stage.receiver.got.length;
    stage.pass(RESEND_S);
    const [taken] = await stage.newest(before + 1);
    expect(Date.parse(taken!.endsAt)).to.equal(stage.now() + 4 * RESEND_S * 1_000);
  });

  it('is not told of the end while an earlier message is under way', async () => {
    const stage = await alertStage(open);
    await stage.add();
    const release = stage.holds();
    await stage.cpu(91);
    await stage.newest(1);
    await stage.cpu(20);
    await stage.states('ended');
    expect(stage.receiver.got).to.have.length(1);
    release();
    const [over] = await stage.newest(2);
    expect(over).to.include({ endsAt: iso(0) });
  });

  it('refuses a rule with a label that alerts have of their own', async () => {
    const stage = await alertStage(open);
    const { ruleId } = await stage.add();
    okBody(await stage.api.call('PUT', `${SERVER}/rules/${ruleId}`, { labels: { alertname: 'x' } }));
    const wanted = { ruleId, url: 'https://example.org/other', format: 'alertmanager' };
    const answer = await stage.api.call('POST', `${SERVER}/subscription`, wanted);
    expect(answer.status).to.equal(400);
    expect(answer.body.error!.message).to.include('ruleId: the rule has the label alertname');
    const { format: _, ...plain } = wanted;
    okBody(await stage.api.call('POST', `${SERVER}/subscription`, plain));
  });

  it('sends as before after the clock was set back, and after a stop', async () => {
    const stage = await alertStage(open);
    await stage.add();
    await stage.cpu(91);
    await stage.newest(1);
    await stage.setBack(3_600);
    stage.pass(RESEND_S);
    const [again] = await stage.newest(2);
    expect(again).to.include({ startsAt: iso(60 - 3_600), endsAt: iso(60 - 3_600 + 4 * RESEND_S) });
    // A message whose answer is not stored when the service stops is sent again.
    await stage.deliveredOnes();
    await stage.stopped(() => stage.pass(-3_600));
    await stage.planned();
    stage.pass(RESEND_S);
    await stage.newest(3);
    await stage.cpu(20);
    const [over] = await stage.newest(4);
    expect(over).to.include({ startsAt: iso(120 - 7_200), endsAt: iso(120 - 7_200) });
    await stage.states('ended');
    await stage.setBack(3_600);
    stage.pass(60);
    await stage.newest(5);
    await stage.states();
  });

  it('sends the mails of its rule as the rule says', async () => {
    const stage = await alertStage(open);
    const action = { actionName: 'notify-email', email: 'a@example.org', body: 'Add a machine.' };
    await stage.add({ action, repeat: 600, noData: 60 });
    await stage.cpu(91);
    const [alert] = await stage.newest(1);
    expect(alert!.annotations).to.include({ body: 'Add a machine.' });
    stage.pass(60);
    await stage.newest(2);
    const channels = async () => {
      const found = (await stage.deliveries()) as unknown as readonly {
        channel: string;
        message: { state?: string };
      }[];
      return found.map(({ channel, message }) => `${channel} ${message.state ?? ''}`).toSorted();
    };
    expect(await channels()).to.deep.equal(['email firing', 'email noData', 'webhook ']);
  });
});
