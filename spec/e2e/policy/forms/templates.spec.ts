import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { addRule, ALWAYS, arrived, cpu, okBody, windowSize } from '../actions.js';
import { askFor, shown, subscribed } from './form-actions.js';

const NAME = 'a "hot" <rule> & more';
const STATES = {
  ...ALWAYS,
  name: NAME,
  condition: { cpu: { value: 50, operand: 'greater' } },
  repeat: 0,
  resolve: true,
};
const EVERYTHING = JSON.stringify({
  text: '{{title}}|{{sentence}}|{{{serverUrl}}}|{{ruleName}}|{{measures.cpu}}',
  state: '{{#firing}}on{{/firing}}{{#resolved}}off{{/resolved}}{{#noData}}none{{/noData}}',
});
const json = (body: string) => ({ format: 'template', template: { contentType: 'application/json', body } });

async function changeRule(api: ApiClient, ruleId: string, change: object): Promise<void> {
  okBody(await api.call('PUT', `/v1.0/demo/servers/web-1/rules/${ruleId}`, change));
}

describe('the format template', () => {
  const open = scenes();

  it('sends what its template makes of the message, signed, and is shown', async () => {
    const { api, url } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1', STATES);
    const draft = { ruleId, url: receiver.origin, ...json(EVERYTHING) };
    const id = await subscribed(api, draft);
    expect(await subscribed(api, draft)).to.equal(id);
    expect(await shown(api, id)).to.deep.include(json(EVERYTHING));
    await cpu(api, 'web-1', 90);
    await cpu(api, 'web-1', 10);
    const got = await arrived(receiver, 2);
    const { secret } = okBody(await api.call('GET', '/v1.0/demo/webhook-secret'));
    for (const one of got) {
      expect(one.headers['content-type']).to.equal('application/json');
      new Webhook(secret!).verify(one.body, one.headers as Record<string, string>);
    }
    const [firing, resolved] = got.map(({ body }) => JSON.parse(body) as { text: string; state: string });
    const { tenantId } = okBody(await api.call('GET', '/operator/servers'))['servers']![0] as {
      tenantId: string;
    };
    const page = `${url}/console/servers/${tenantId}/web-1`;
    expect(firing!.state).to.equal('on');
    expect(firing!.text).to.match(
      /^Firing: a "hot" <rule> & more on web-1\|Holds since [\dTZ:-]+: the mean of cpu is 90, greater than 50\.\|/,
    );
    expect(firing!.text.endsWith(`|${page}|${NAME}|90`)).to.equal(true, firing!.text);
    expect(resolved!.state).to.equal('off');
    expect(resolved!.text).to.match(
      /^Resolved: a "hot" <rule> & more on web-1\|Does not hold: the mean of cpu is 10, not greater than 50\.\|/,
    );
  });

  it('has a title of at most 130 characters, with the server', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1', { ...ALWAYS, name: '🔥'.repeat(256) });
    await subscribed(api, { ruleId, url: receiver.origin, ...json('["{{title}}"]') });
    await cpu(api, 'web-1', 90);
    const [title] = JSON.parse((await arrived(receiver, 1))[0]!.body) as [string];
    expect(title).to.have.length(130);
    expect(title).to.match(/^Firing: 🔥+… on web-1$/u);
  });

  it('is refused where it makes no JSON of a state that the rule sends, with the field and the state', async () => {
    const { api } = await open.service();
    const [plain, resolves, silent] = [
      await addRule(api, 'web-1'),
      await addRule(api, 'web-1', STATES),
      await addRule(api, 'web-1', { ...ALWAYS, noData: 60 }),
    ];
    const ask = (ruleId: string, body: string, query = '') =>
      askFor(api, { ruleId, url: 'http://127.0.0.1:9/', ...json(body) }, query);
    const broken = '{{#resolved}}no{{/resolved}}{{^resolved}}1{{/resolved}}';
    expectRefusal(await ask(resolves, broken), 400, 'template.body: makes no JSON');
    expectRefusal(await ask(resolves, broken, '?dryRun=true'), 400, 'for the state resolved');
    expectRefusal(await ask(silent, '{"fact": {{factId}}}'), 400, 'for the state noData');
    expectRefusal(await ask(plain, '{{title}}'), 400, 'for the state firing');
    expectRefusal(await ask(plain, '{{#a}}'), 400, 'template.body: is no Mustache: Unclosed section "a"');
    expectRefusal(await ask(plain, '{{> a}}'), 400, 'template.body: must not have partials');
    expect(okBody(await api.call('GET', '/v1.0/demo/subscriptions'))['subscriptions']).to.deep.equal([]);
    okBody(await ask(plain, broken));
    okBody(await ask(plain, '{"fact": {{factId}}, "measures": {{measures}}, "condition": {{{condition}}}}'));
    expectRefusal(await ask('unknown', '{"a": 1}'), 404, 'unknown');
  });

  it('is refused without a template, and a template without it', async () => {
    const { api } = await open.service();
    const ruleId = await addRule(api, 'web-1');
    const ask = (more: object) => askFor(api, { ruleId, url: 'http://127.0.0.1:9/', ...more });
    const wrong = 'must have template with the format template';
    const template = { contentType: 'text/plain', body: 'a' };
    expectRefusal(await ask({ format: 'template' }), 400, wrong);
    expectRefusal(await ask({ template }), 400, wrong);
    expectRefusal(await ask({ format: 'cloudevents', template }), 400, wrong);
    const asTemplate = (change: object) => ask({ format: 'template', template: { ...template, ...change } });
    for (const contentType of ['', 'json', 'a/b\r\nx: y', 'text/plain;', `text/${'x'.repeat(256)}`, 1])
      expectRefusal(await asTemplate({ contentType }), 400, 'template.contentType: must be a media type');
    for (const body of ['', 'ü'.repeat(8_193), 1, null])
      expectRefusal(await asTemplate({ body }), 400, 'template.body: must be a string of Mustache');
    expectRefusal(await asTemplate({ partials: {} }), 400, 'template: must not have partials');
    for (const none of [null, 'a', ['a']])
      expectRefusal(
        await ask({ format: 'template', template: none }),
        400,
        'template: must be a JSON object',
      );
    okBody(await asTemplate({ body: 'ü'.repeat(8_192), contentType: 'text/plain; charset=utf-8' }));
  });

  it('makes a message that is no JSON after a change of the rule a dead letter that says so', async () => {
    const { api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1');
    const body = '{{^resolved}}{"a": 1}{{/resolved}}';
    await subscribed(api, { ruleId, url: receiver.origin, ...json(body) });
    await changeRule(api, ruleId, { condition: STATES.condition, repeat: 0, resolve: true });
    await cpu(api, 'web-1', 90);
    await cpu(api, 'web-1', 10);
    const dead = await eventually(
      async () => {
        const { deliveries } = okBody(await api.call('GET', '/operator/deliveries?state=dead'));
        return (deliveries as unknown as { attempts: { result: string; detail: string }[] }[])[0];
      },
      SOON_MS,
      () => 'no message became a dead letter',
    );
    expect(dead.attempts).to.have.length(1);
    expect(dead.attempts[0]!.detail).to.match(/^not sent: the template of the subscription makes no JSON: /);
    expect(receiver.got.map((one) => one.body)).to.deep.equal(['{"a": 1}']);
  });
});
