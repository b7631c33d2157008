import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { ReceiverTemplate } from '../../../../web/src/forms/receiver-templates.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { Got } from '../../../delivery/senders/receiver.js';
import { scenes } from '../../scene.js';
import { addRule, ALWAYS, cpu, factsBody, okBody, windowSize } from '../actions.js';
import { subscribed } from './form-actions.js';
import { receiverTemplates } from './receiver-templates.js';
import { faultAtReceiver } from './stand-in-receivers.js';

/** A name that ends the strings, tags and mentions of careless templates. */
const NAME = `</b> "hot" \\ <!channel> @everyone {{title}} \u2028 & *more*`;
const RULE = {
  ...ALWAYS,
  name: NAME,
  condition: { cpu: { value: 50, operand: 'greater' } },
  repeat: 0,
  resolve: true,
  // No spec lasts so long.
  noData: 604_800,
};

describe('the templates of docs/receivers.md', () => {
  const open = scenes();
  let templates: readonly ReceiverTemplate[];
  before(async () => {
    templates = await receiverTemplates();
  });

  /** Starts a stand-in of all receivers, with what they found wrong. */
  const receivers = async () => {
    const faults: string[] = [];
    const receiver = await open.receiver((response, got) => {
      const fault = faultAtReceiver(got);
      if (fault !== undefined) faults.push(fault);
      response.writeHead(fault === undefined ? 200 : 400).end(fault);
    });
    return { receiver, faults };
  };

  it('are those of the console', () => {
    const document = readFileSync(new URL('../../../../../docs/receivers.md', import.meta.url), 'utf8');
    // The section about Alertmanager has no template.
    const sections = document.split(/^## /m).filter((text) => text.includes('```text\n'));
    expect(sections.map((text) => text.split('\n', 1)[0])).to.deep.equal(templates.map(({ name }) => name));
    for (const [i, { url, headers, template, replace }] of templates.entries()) {
      expect(/```text\n([^]*?)\n```/.exec(sections[i]!)?.[1]).to.equal(template.body);
      for (const said of [url, template.contentType, ...Object.entries(headers).map((one) => one.join(': '))])
        expect(sections[i]).to.include(`\`${said}\``);
      for (const part of replace) expect(template.body).to.include(part);
    }
  });

  it('make what each receiver takes, of a firing and of its end, whatever the name of the rule', async () => {
    const { api, url } = await open.service();
    const { receiver, faults } = await receivers();
    await windowSize(api, 1);
    const ruleId = await addRule(api, 'web-1', RULE);
    for (const { name, headers, template } of templates)
      await subscribed(api, {
        ruleId,
        url: `${receiver.origin}/${name}`,
        headers,
        format: 'template',
        template,
      });
    await cpu(api, 'web-1', 90);
    await cpu(api, 'web-1', 10);
    const got = await eventually(
      () => {
        const messages = messagesOf(receiver.got);
        return faults.length > 0 || messages.length === templates.length * 2 ? messages : undefined;
      },
      SOON_MS,
      () => `${messagesOf(receiver.got).length} messages came`,
    );
    expect(faults).to.deep.equal([]);
    for (const { name } of templates) {
      const bodies = got.filter((one) => one.url === `/${name}`).map(({ body }) => body);
      expect(bodies, name).to.have.length(2);
      expect(bodies[0], name).to.include('Firing: ').and.include('the mean of cpu is 90');
      expect(bodies[1], name).to.include('Resolved: ').and.include('the mean of cpu is 10');
      for (const body of bodies) {
        expect(body, name).to.include(`${url}/console/servers/`);
        expect(
          textsIn(JSON.parse(body)).some((text) => text.includes(NAME)),
          name,
        ).to.equal(true);
      }
    }
    expect(okBody(await api.call('GET', '/operator/deliveries?state=dead'))['deliveries']).to.deep.equal([]);
  });

  it('make what each receiver takes of the longest message', async () => {
    const { api } = await open.service({ METRICS: '*' });
    const server = `${'s'.repeat(200)}:${'9'.repeat(55)}`;
    const { receiver, faults } = await receivers();
    await windowSize(api, 1);
    const metrics = Array.from({ length: 32 }, (_, i) => `m${i}_`.padEnd(64, 'x'));
    const some = (names: readonly string[]) => ({
      all: names.map((name) => ({ [name]: { value: -1e300, operand: 'greater' } })),
    });
    const name = '\u{1F525}'.repeat(128);
    const condition = { all: [some(metrics.slice(0, 16)), some(metrics.slice(16))] };
    const ruleId = await addRule(api, server, { ...RULE, name, condition });
    for (const { name: path, headers, template } of templates) {
      const draft = { ruleId, url: `${receiver.origin}/${path}`, headers, format: 'template', template };
      okBody(await api.call('POST', `/v1.0/demo/servers/${server}/subscription`, draft));
    }
    const facts = factsBody(Object.fromEntries(metrics.map((metric) => [metric, 1])));
    okBody(await api.call('POST', `/v1.0/demo/servers/${server}`, facts));
    await eventually(
      () => (faults.length > 0 || messagesOf(receiver.got).length === templates.length ? true : undefined),
      SOON_MS,
      () => `${messagesOf(receiver.got).length} messages came`,
    );
    expect(faults).to.deep.equal([]);
    for (const { body } of receiver.got)
      expect(textsIn(JSON.parse(body)).filter((text) => /the mean of m0_x.+…/.test(text))).to.have.length(1);
  });

  it('are refused by the stand-ins of the receivers if a member is wrong', () => {
    const got = (name: string, body: object): Got =>
      ({
        url: `/${name}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }) as Got;
    for (const { name } of templates) {
      expect(faultAtReceiver(got(name, {})), name).to.be.a('string');
      expect(faultAtReceiver(got(name, { text: 1, title: null })), name).to.be.a('string');
    }
  });
});

/** Returns each message once: after a timeout, a slow receiver gets it again. */
function messagesOf(got: readonly Got[]): readonly Got[] {
  return [...new Map(got.map((one) => [one.headers['webhook-id'], one])).values()];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}
