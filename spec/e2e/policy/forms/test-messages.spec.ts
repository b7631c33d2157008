import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addRule, ALWAYS, okBody } from '../actions.js';
import { subscribed } from './form-actions.js';

/** Sends a test message to the receiver at a url. Returns the answer. */
async function tested(api: ApiClient, url: string): Promise<Record<string, unknown>> {
  const { id } = await eventually(
    async () => {
      const { receivers } = okBody(await api.call('GET', '/v1.0/demo/receivers'));
      return (receivers as unknown as readonly { id: string; url: string }[]).find((one) => one.url === url);
    },
    SOON_MS,
    () => `no receiver ${url}`,
  );
  return okBody(await api.call('POST', `/v1.0/demo/receivers/${id}/test`));
}

describe('the test message of a receiver', () => {
  const open = scenes();

  it('is sent in the form of the newest subscription to its url, signed', async () => {
    const { api, url: service } = await open.service();
    const receiver = await open.receiver();
    const ruleId = await addRule(api, 'web-1', { ...ALWAYS, name: 'busy', noData: 60 });
    const url = `${receiver.origin}/hook`;
    const template = {
      contentType: 'application/json',
      body: '{"is": "{{title}}", "on": {{firing}}, "measures": {{measures}}, "page": "{{serverUrl}}"}',
    };
    const forms = [
      {},
      { headers: { Authorization: 'Bearer a' } },
      { format: 'cloudevents' },
      { format: 'template', template, headers: { 'X-A': 'b' } },
    ];
    for (const form of forms) {
      await subscribed(api, { ruleId, url, ...form });
      expect(await tested(api, url)).to.include({ result: 'delivered', status: 200 });
    }
    const [plain, withHeader, event, filled] = receiver.got;
    const { secret } = okBody(await api.call('GET', '/v1.0/demo/webhook-secret'));
    for (const one of receiver.got)
      new Webhook(secret!).verify(one.body, one.headers as Record<string, string>);
    expect(JSON.parse(plain!.body)).to.have.all.keys('type', 'id', 'tenantId', 'sentAt');
    expect(plain!.headers).not.to.have.property('authorization');
    expect(withHeader!.headers).to.include({ authorization: 'Bearer a' });
    expect(JSON.parse(event!.body)).to.include({ type: 'org.mirzam.test', id: event!.headers['webhook-id'] });
    expect(filled!.headers).to.include({ 'x-a': 'b' }).and.not.have.property('authorization');
    const { page, ...rest } = JSON.parse(filled!.body) as Record<string, string>;
    expect(rest).to.deep.equal({ is: 'Test message of Mirzam', on: true, measures: { cpu: 0 } });
    expect(page!.startsWith(`${service}/console/servers/`)).to.equal(true);
  });

  it('is an alert that is over where an Alertmanager is the receiver', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    const ruleId = await addRule(api, 'web-1');
    await subscribed(api, { ruleId, url: receiver.origin, format: 'alertmanager' });
    expect(await tested(api, receiver.origin)).to.include({ result: 'delivered' });
    const [got] = receiver.got;
    expect(got!.url).to.equal('/api/v2/alerts');
    const [alert] = JSON.parse(got!.body) as [{ labels: object; startsAt: string; endsAt: string }];
    expect(alert.labels).to.include({ alertname: 'MirzamTest' });
    expect(alert.endsAt).to.equal(alert.startsAt);
  });

  it('says why it could not be made', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    const ruleId = await addRule(api, 'web-1', { ...ALWAYS, resolve: true });
    const template = { contentType: 'application/json', body: '{"cpu": {{measures.cpu}}}' };
    await subscribed(api, { ruleId, url: receiver.origin, format: 'template', template });
    const condition = { mem: { value: 1, operand: 'greater' } };
    okBody(await api.call('PUT', `/v1.0/demo/servers/web-1/rules/${ruleId}`, { condition }));
    const { result, status, detail } = await tested(api, receiver.origin);
    expect({ result, status }).to.deep.equal({ result: 'refused', status: null });
    expect(detail).to.match(/^not sent: the template of the subscription makes no JSON/);
    expect(receiver.got).to.deep.equal([]);
  });
});
