import { expect } from 'chai';
import { hasApprise, startApprise } from '../../../servers/apprise.js';
import { scenes } from '../../scene.js';
import { addRule, ALWAYS, arrived, cpu, windowSize } from '../actions.js';
import { subscribed } from './form-actions.js';
import { receiverTemplates } from './receiver-templates.js';

describe("Apprise's library", () => {
  const open = scenes();
  before(function () {
    if (!hasApprise()) this.skip();
  });

  it('passes on the messages of its template', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    const apprise = open.keep(await startApprise(receiver.origin.replace('http:', 'json:')), (one) =>
      one.close(),
    );
    await windowSize(api, 1);
    const rule = {
      ...ALWAYS,
      condition: { cpu: { value: 50, operand: 'greater' } },
      repeat: 0,
      resolve: true,
    };
    const ruleId = await addRule(api, 'web-1', { ...rule, name: 'so "hot" <b>' });
    const { template } = (await receiverTemplates()).find(({ name }) => name === 'Apprise')!;
    await subscribed(api, { ruleId, url: `${apprise.origin}/notify/key`, format: 'template', template });
    await cpu(api, 'web-1', 90);
    await cpu(api, 'web-1', 10);
    const got = (await arrived(receiver, 2)).map(({ body }) => JSON.parse(body) as Record<string, string>);
    expect(got.map(({ title, type }) => [title, type])).to.deep.equal([
      ['Firing: so "hot" <b> on web-1', 'failure'],
      ['Resolved: so "hot" <b> on web-1', 'success'],
    ]);
    expect(got[0]!['message']).to.match(
      /^Holds since .*: the mean of cpu is 90, greater than 50\.\s+http:\S+\/web-1$/,
    );
  });
});
