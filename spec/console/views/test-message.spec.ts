import { expect } from 'chai';
import { addRule, ALWAYS, okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { tenantIdOf } from '../../policy/model/live-stage.js';

describe('the test message of a subscription that is not there yet', () => {
  const open = scenes();

  const stage = async (settings: Readonly<Record<string, string>> = {}) => {
    const { api } = await open.service(settings);
    const receiver = await open.receiver();
    const ruleId = await addRule(api, 'web-1', { ...ALWAYS, name: 'busy', repeat: 0 });
    const tenant = await tenantIdOf(api);
    const test = (body: object, of = tenant) =>
      api.call('POST', `/console/api/servers/${of}/web-1/test`, { ruleId, url: receiver.origin, ...body });
    return { api, receiver, tenant, test };
  };

  it('has the form of the subscription, and makes none', async () => {
    const { api, receiver, tenant, test } = await stage();
    const headers = { Authorization: 'Bearer secret' };
    const answer = okBody(await test({ headers }));
    expect(answer).to.deep.include({ result: 'delivered' });
    const [plain] = receiver.got;
    expect(plain!.headers['authorization']).to.equal('Bearer secret');
    expect(JSON.parse(plain!.body)).to.deep.include({ type: 'test', id: answer['id'], tenantId: tenant });

    await test({
      format: 'template',
      template: { contentType: 'text/plain', body: '{{title}}; {{sentence}}' },
    });
    expect(receiver.got[1]!.body).to.match(/^Test message of Mirzam; This is a test message of Mirzam\. /);
    await test({ format: 'cloudevents' });
    expect(JSON.parse(receiver.got[2]!.body)).to.deep.include({ type: 'org.mirzam.test' });
    await test({ format: 'alertmanager' });
    expect(receiver.got[3]!.url).to.equal('/api/v2/alerts');
    const [alert] = JSON.parse(receiver.got[3]!.body) as readonly [{ startsAt: string; endsAt: string }];
    expect(alert).to.deep.include({ labels: { alertname: 'MirzamTest', tenant } });
    expect(alert.endsAt, 'it is over at once').to.equal(alert.startsAt);
    expect(okBody(await api.call('GET', '/v1.0/demo/subscriptions'))).to.deep.include({ subscriptions: [] });
    expect(okBody(await api.call('GET', '/operator/deliveries'))).to.deep.include({ deliveries: [] });
  });

  it('is refused as the subscription would be, and nothing is sent', async () => {
    const { receiver, test } = await stage();
    const refused = {
      'ruleId: ': { ruleId: 'none' },
      'headers: ': { headers: { Host: 'x' } },
      'template.body: ': {
        format: 'template',
        template: { contentType: 'application/json', body: '{{title}}' },
      },
      'url: ': { url: 'ftp://example.org' },
    };
    for (const [begin, body] of Object.entries(refused)) {
      const answer = await test(body);
      expect(answer.status, begin).to.be.oneOf([400, 404]);
      expect(answer.text).to.include(begin);
    }
    expect((await test({}, 'other')).status).to.equal(404);
    expect(receiver.got).to.deep.equal([]);
  });
});
