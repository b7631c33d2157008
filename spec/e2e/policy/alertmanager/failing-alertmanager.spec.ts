import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { scenes } from '../../scene.js';
import { addGeneric, okBody } from '../actions.js';
import { alertStage, BUSY, RESEND_S, SERVER, START } from './alert-stage.js';

describe('a subscription to an Alertmanager that fails', () => {
  const open = scenes();

  it('is tried again within the interval, whatever it asks for', async () => {
    const stage = await alertStage(open);
    stage.answers(503, { 'retry-after': '86400' });
    await stage.add();
    await stage.cpu(91);
    for (let tries = 1; tries <= 12; tries += 1) {
      await stage.newest(tries);
      const found = await eventually(
        async () => {
          const [delivery] = await stage.deliveries();
          const isTried = delivery?.attempts.length === tries && delivery.nextAttemptAt !== null;
          return isTried ? { ...delivery, nextAttemptAt: delivery.nextAttemptAt } : undefined;
        },
        SOON_MS,
        () => `${tries} attempts are not listed`,
      );
      expect(Date.parse(found.since), 'it fails since then').to.equal(START);
      expect(Date.parse(found.nextAttemptAt)).to.be.at.most(stage.now() + RESEND_S * 1_000);
      stage.pass(RESEND_S);
    }
    stage.answers(200);
    stage.pass(RESEND_S);
    await stage.newest(13);
    await stage.deliveredOnes();
  });

  it('that is gone for good is suspended, and gets the alert again afterwards', async () => {
    const stage = await alertStage(open);
    const { ruleId, subscriptionId } = await stage.add();
    await stage.cpu(91);
    await stage.newest(1);
    stage.answers(410);
    stage.pass(RESEND_S);
    await stage.newest(2);
    await eventually(
      async () => (await stage.explained(ruleId)).suspended,
      SOON_MS,
      () => 'it is not suspended',
    );
    stage.answers(200);
    stage.pass(RESEND_S);
    await stage.cpu(92);
    await stage.states();
    expect(stage.receiver.got).to.have.length(2);
    expect((await stage.add({}, { ruleId })).subscriptionId).to.equal(subscriptionId);
    await stage.cpu(93);
    const [again] = await stage.newest(3);
    expect(again!.annotations['description']).to.include('the mean of cpu is 93');
    await stage.states('firing');
  });

  it('that refuses a message gets the next one, and the refused one is a dead letter until then', async () => {
    const stage = await alertStage(open);
    await stage.add();
    stage.answers(400);
    await stage.cpu(91);
    await stage.newest(1);
    await eventually(
      async () => (await stage.deliveries())[0]?.state === 'dead' || undefined,
      SOON_MS,
      () => 'no dead letter',
    );
    stage.answers(200);
    stage.pass(RESEND_S);
    await stage.newest(2);
    await stage.deliveredOnes();
  });
});

describe('an alert of a rule of the tenant', () => {
  const open = scenes();

  it('runs out when the tenant is deleted', async () => {
    const stage = await alertStage(open);
    await stage.add();
    await stage.cpu(91);
    await stage.newest(1);
    const [delivery] = await stage.deliveredOnes();
    const path = `/operator/tenants/${delivery!.tenant}`;
    expect((await stage.api.call('DELETE', path)).status).to.equal(202);
    stage.pass(RESEND_S);
    await eventually(
      async () => (await stage.api.call('DELETE', path)).status === 404 || undefined,
      SOON_MS,
      () => 'the tenant is still there',
    );
    await stage.states();
    expect(stage.receiver.got).to.have.length(1);
  });

  it('is over when the rule gets another name, or goes', async () => {
    const stage = await alertStage(open);
    const ruleId = await addGeneric(stage.api, BUSY);
    const wanted = { ruleId, url: stage.receiver.origin, format: 'alertmanager' };
    okBody(await stage.api.call('POST', `${SERVER}/subscription`, wanted));
    await stage.cpu(91);
    await stage.newest(1);
    const path = `/v1.0/demo/rules/${ruleId}`;
    okBody(await stage.api.call('PUT', path, { name: 'busier' }));
    const told = await stage.newest(2);
    const names = told.map(({ labels, endsAt }) => [labels['alertname'], Date.parse(endsAt) > stage.now()]);
    expect(names).to.deep.equal([
      ['busier', true],
      ['busy', false],
    ]);
    okBody(await stage.api.call('DELETE', path));
    const over = await stage.newest(3);
    expect(over.map(({ labels }) => labels['alertname'])).to.have.members(['busier', 'busy']);
    expect(over.every(({ endsAt }) => Date.parse(endsAt) <= stage.now())).to.equal(true);
  });
});
