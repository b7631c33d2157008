import { expect } from 'chai';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { addRule, addSubscribedRule, ALWAYS, arrived, cpu, okBody, windowSize } from './actions.js';

const RULES = '/v1.0/demo/servers/web-1/rules';
const LABELS = { severity: 'critical', team: 'web, Köln' };

describe('labels of a rule', () => {
  const open = scenes();

  it('are listed, replaced as a whole, and taken away with null', async () => {
    const { api } = await open.service();
    const ruleId = await addRule(api, 'web-1', { ...ALWAYS, labels: LABELS });
    const shown = async () => okBody(await api.call('GET', `${RULES}/${ruleId}`));
    expect(await shown()).to.deep.include({ ruleId, labels: LABELS });
    const servers = okBody(await api.call('GET', '/v1.0/demo/servers'))['servers'];
    expect(servers).to.have.nested.property('[0].rules[0].labels').that.deep.equals(LABELS);
    const changed = okBody(await api.call('PUT', `${RULES}/${ruleId}`, { labels: { severity: 'info' } }));
    expect(changed).to.deep.include({ labels: { severity: 'info' } });
    expect(await shown()).to.deep.include({ labels: { severity: 'info' } });
    okBody(await api.call('PUT', `${RULES}/${ruleId}`, { labels: null }));
    expect(await shown()).not.to.have.property('labels');
  });

  it('change no message of a rule without other options, to the byte', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const receiver = await open.receiver((response) => response.end());
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin, { ...ALWAYS, labels: LABELS });
    await cpu(api, 'web-1', 50);
    const [got] = await arrived(receiver, 1);
    const members = Object.keys(JSON.parse(got!.body) as object);
    okBody(await api.call('PUT', `${RULES}/${ruleId}`, { labels: null }));
    await cpu(api, 'web-1', 50);
    const [, plain] = await arrived(receiver, 2);
    expect(members)
      .to.deep.equal(Object.keys(JSON.parse(plain!.body) as object))
      .and.not.include('state');
    expect(got!.body).to.have.length(plain!.body.length);
  });

  it('are refused with what is allowed', async () => {
    const { api } = await open.service();
    const tooMany = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`l${n}`, 'x']));
    const wrong = [
      null,
      'critical',
      ['x'],
      { '1a': 'x' },
      { a: 1 },
      { a: '' },
      { a: 'x'.repeat(257) },
      tooMany,
    ];
    for (const labels of [...wrong, { [`a${'b'.repeat(64)}`]: 'x' }, { a: 'x\n' }, { a: null }]) {
      const answer = await api.call('POST', RULES, { ...ALWAYS, labels });
      expectRefusal(answer, 400, 'labels: must be a JSON object of at most 16 labels');
    }
    const most = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`l_${n}`, 'x'.repeat(256)]));
    await addRule(api, 'web-1', { ...ALWAYS, labels: { ...most } });
    await addRule(api, 'web-1', { ...ALWAYS, labels: { [`a${'b'.repeat(63)}`]: 'x' } });
  });
});
