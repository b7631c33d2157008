import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { arrived, ALWAYS, cpu, okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { rulesStages, runRules, type RulesStage } from './rules-stage.js';

const TOKEN = 'planted-t0ken';
const template = { contentType: 'application/json', body: '{\n  "text": "{{title}}"\n}\n' };

/** A file with a rule of one server and its subscriptions. */
const fileOf = (...subscriptions: readonly object[]) => ({
  tenant: 'demo',
  windowsize: 1,
  servers: { 'web-1': { rules: [{ ...ALWAYS, subscriptions }] } },
});

describe('mirzam rules with forms of messages', () => {
  const open = scenes();
  const { stage, yaml, pathOf } = rulesStages();
  const run = ({ url }: RulesStage, more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    runRules(args, {
      MIRZAM_URL: url,
      MIRZAM_TENANT: 'demo',
      MIRZAM_USER: 'demo',
      MIRZAM_PASSWORD: 'demo',
      ...more,
    });

  it('applies them with values of the environment, and finds no difference afterwards', async () => {
    const service = await stage();
    const receiver = await open.receiver();
    const file = await yaml(
      'rules.yaml',
      fileOf(
        {
          url: `${receiver.origin}/a`,
          format: 'template',
          template,
          headers: { Authorization: 'Bearer ${OPS_TOKEN}' },
        },
        { url: `${receiver.origin}/b`, format: 'cloudevents' },
        { url: `${receiver.origin}/c` },
      ),
    );
    const missing = await run(service, {}, 'apply', file);
    expect(missing.code).to.equal(2);
    expect(missing.err).to.match(
      /values of headers need variables of the environment that are not set: OPS_TOKEN\n$/,
    );
    expect(okBody(await service.api.call('GET', '/v1.0/demo'))['windowsize']).to.equal(5);
    const applied = await run(service, { OPS_TOKEN: TOKEN }, 'apply', file);
    expect(applied.code, applied.err).to.equal(0);
    expect(applied.out).to.match(/subscribed \S+\/a on web-1 as template with Authorization\n/);
    expect(applied.out).not.to.include(TOKEN);
    expect(await run(service, {}, 'diff', file)).to.include({ code: 0, out: '' });
    expect((await run(service, {}, 'apply', file)).out).to.equal('tenant demo: nothing to change\n');
    await cpu(service.api, 'web-1', 90);
    const got = await arrived(receiver, 3);
    const [first, second] = ['/a', '/b'].map((path) => got.find(({ url }) => url === path)!);
    expect(first!.headers.authorization).to.equal(`Bearer ${TOKEN}`);
    expect(first!.body).to.equal('{\n  "text": "Firing: always on web-1"\n}\n');
    expect(second!.headers['content-type']).to.equal('application/cloudevents+json');
  });

  it('pulls them with a variable for each value: a round trip makes no difference', async () => {
    const service = await stage();
    const subscription = {
      url: 'https://example.org/hook',
      format: 'template',
      headers: { 'X-Api-Key': '${KEY}', authorization: '${AUTHORIZATION}' },
      template,
    };
    const file = await yaml('rules.yaml', fileOf(subscription, { url: 'https://example.org/hook' }));
    const values = { KEY: TOKEN, AUTHORIZATION: TOKEN };
    expect((await run(service, values, 'apply', file)).code).to.equal(0);
    const pulled = pathOf('pulled.yaml');
    expect((await run(service, {}, 'pull', pulled)).code).to.equal(0);
    const text = await readFile(pulled, 'utf8');
    expect(text).not.to.include(TOKEN);
    const { servers } = parse(text) as ReturnType<typeof fileOf>;
    expect(servers['web-1'].rules[0]!.subscriptions).to.deep.include({
      url: 'https://example.org/hook',
      format: 'template',
      headers: { authorization: '${AUTHORIZATION}', 'X-Api-Key': '${X_API_KEY}' },
      template,
    });
    expect(servers['web-1'].rules[0]!.subscriptions).to.have.length(2);
    expect(await run(service, {}, 'diff', pulled)).to.include({ code: 0, out: '' });
    expect((await run(service, {}, 'apply', pulled, '--prune')).out).to.equal(
      'tenant demo: nothing to change\n',
    );
  });

  it('shows names of headers, never a value, and replaces a subscription whose form differs', async () => {
    const service = await stage();
    const url = 'https://example.org/hook';
    const before = await yaml('before.yaml', fileOf({ url, headers: { 'X-A': TOKEN } }));
    expect((await run(service, {}, 'apply', before)).code).to.equal(0);
    const sameNames = await yaml('same.yaml', fileOf({ url, headers: { 'x-a': `${TOKEN}-other` } }));
    expect(await run(service, {}, 'diff', sameNames)).to.include({ code: 0, out: '' });
    const after = await yaml('after.yaml', fileOf({ url, headers: { 'x-a': TOKEN, 'X-B': TOKEN } }));
    const diff = await run(service, {}, 'diff', after);
    expect(diff.code).to.equal(1);
    expect(diff.out)
      .to.match(/^\+ +X-B: …$/m)
      .and.not.include(TOKEN);
    const applied = await run(service, {}, 'apply', after);
    expect(applied.out).to.match(
      /subscribed \S+ on web-1 with x-a, X-B\n[^]*ended the subscription of \S+ on web-1 with X-A\n/,
    );
    const { subscriptions } = okBody(await service.api.call('GET', '/v1.0/demo/subscriptions'));
    expect(subscriptions).to.have.length(1);
    expect(subscriptions![0]).to.deep.include({ headers: ['x-a', 'X-B'] });
  });

  it('refuses a form that the service would refuse, with its line and without its values', async () => {
    const service = await stage();
    const url = 'https://example.org/hook';
    const bad = await yaml(
      'bad.yaml',
      fileOf(
        { url, format: 'slack' },
        { url, headers: { 'Content-Type': TOKEN } },
        { url, headers: { 'X-A': `${TOKEN}\n` } },
        { url, headers: { 'X-A': 1 } },
        { url, format: 'template' },
        { url, format: 'template', template: { body: 'a' } },
      ),
    );
    const { code, err } = await run(service, {}, 'diff', bad);
    expect(code).to.equal(2);
    const at = (i: number) =>
      String.raw`bad\.yaml:\d+:\d+: servers\["web-1"\]\.rules\[0\]\.subscriptions\[${i}\]`;
    for (const [i, fault] of [
      [0, '.format: must be one of'],
      [1, '.headers: must not have Content-Type'],
      [2, '.headers: must have a string'],
      [3, '.headers: must have a string'],
      [4, ': must have template with the format template'],
      [5, '.template.contentType: must be a media type'],
    ] as const)
      expect(err).to.match(new RegExp(at(i) + fault.replaceAll('.', String.raw`\.`)));
    expect(err).not.to.include(TOKEN);
    const broken = { ...template, body: '{{title}}' };
    const tried = await yaml('tried.yaml', fileOf({ url, format: 'template', template: broken }));
    okBody(await service.api.call('POST', '/v1.0/demo/servers/web-1/rules', ALWAYS));
    const refused = await run(service, {}, 'apply', tried);
    expect(refused.err).to.match(
      /nothing was changed:\n.*subscribe \S+ on web-1 as template: .*template\.body: makes no JSON/,
    );
  });
});
