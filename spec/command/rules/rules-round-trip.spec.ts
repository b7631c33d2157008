import { readFile, stat } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { addGeneric, addRule, ALWAYS, okBody, subscribe } from '../../e2e/policy/actions.js';
import { BUSY, FULL, HOOK, rulesStages, runRules } from './rules-stage.js';

describe('mirzam rules pull', () => {
  const { stage, pathOf, file } = rulesStages();

  it('writes the window size, rules, subscriptions and rules of servers to the standard output', async () => {
    const { api, done } = await stage();
    okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 7 }));
    const busy = await addGeneric(api, { ...BUSY, labels: { severity: 'critical', team: 'web' } });
    await addGeneric(api, ALWAYS);
    for (const server of ['web-2', 'web-1']) await subscribe(api, server, busy, HOOK);
    await subscribe(api, 'web-1', busy, `${HOOK}/2`);
    const full = await addRule(api, 'db-1', FULL);
    await subscribe(api, 'db-1', full, HOOK);
    expect(parse(await done('pull'))).to.deep.equal({
      tenant: 'demo',
      windowsize: 7,
      rules: [
        {
          ...BUSY,
          labels: { severity: 'critical', team: 'web' },
          subscriptions: [
            { servers: ['web-1', 'web-2'], url: HOOK },
            { servers: ['web-1'], url: `${HOOK}/2` },
          ],
        },
        { ...ALWAYS, subscriptions: [] },
      ],
      servers: { 'db-1': { rules: [{ ...FULL, subscriptions: [{ url: HOOK }] }] } },
    });
  });

  it('of an empty tenant writes a file without rules', async () => {
    const { done } = await stage();
    expect(parse(await done('pull'))).to.deep.equal({ tenant: 'demo', windowsize: 5, rules: [] });
  });

  it('writes a FILE, JSON if its name ends so, and replaces one that exists only with --force', async () => {
    const { api, done, rules } = await stage();
    await addGeneric(api, BUSY);
    const [yaml, json] = [pathOf('rules.yaml'), pathOf('rules.json')];
    expect(await done('pull', yaml)).to.equal('');
    await done('pull', json);
    expect(JSON.parse(await readFile(json, 'utf8'))).to.deep.equal(parse(await readFile(yaml, 'utf8')));
    const own = await file('own.yaml', '# mine\n');
    const refused = await rules('pull', own);
    expect(refused).to.deep.equal({
      code: 2,
      out: '',
      err: `mirzam rules pull: ${own} exists; --force replaces it\n`,
    });
    expect(await readFile(own, 'utf8')).to.equal('# mine\n');
    await done('pull', own, '--force');
    expect(await readFile(own, 'utf8')).to.equal(await readFile(yaml, 'utf8'));
    expect((await rules('pull', pathOf('none/rules.yaml'))).err).to.match(
      /none\/rules.yaml cannot be written: there is no such folder/,
    );
  });

  it('refuses two rules of one name in a list, and names their ids, and writes nothing', async () => {
    const { api, rules } = await stage();
    const ids = [await addRule(api, 'web-1', ALWAYS), await addRule(api, 'web-1', ALWAYS)];
    await addGeneric(api, ALWAYS);
    const { code, out, err } = await rules('pull', pathOf('rules.yaml'));
    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.equal(
      `mirzam rules pull: names of rules must be unique in their list; in the service server web-1: rule always is there 2 times, as ${ids.join(' and ')}: rename or remove all but one\n`,
    );
    expect(await stat(pathOf('rules.yaml')).catch(() => undefined)).to.equal(undefined);
  });

  it('is for operators, of any tenant', async () => {
    const OPERATOR_TOKEN = 'operators-of-these-specs-have-this-token';
    const { api, url } = await stage({ OPERATOR_TOKEN });
    const ruleId = await addGeneric(api, BUSY);
    await subscribe(api, 'web-1', ruleId, HOOK);
    const environment = { MIRZAM_URL: url, OPERATOR_TOKEN };
    const pulled = await runRules(['pull', '--mirzam-tenant', 'demo'], environment);
    expect(pulled).to.include({ code: 0, err: '' });
    const path = await file('rules.yaml', pulled.out.replace('for: 600', 'for: 0'));
    expect(await runRules(['apply', path], environment)).to.include({ code: 0, err: '' });
    expect(okBody(await api.call('GET', `/v1.0/demo/rules/${ruleId}`))).to.include({ for: 0 });
    expect((await runRules(['pull'], environment)).err).to.match(/no tenant is named: set MIRZAM_TENANT/);
    const nobody = await runRules(['pull', '--mirzam-tenant', 'nobody'], environment);
    expect(nobody).to.include({ code: 2, out: '' });
    expect(nobody.err).to.match(/\(404\): tenantId/);
  });
});

describe('a file that pull wrote', () => {
  const { stage, pathOf } = rulesStages();

  /** Rules whose text in a file is easily another value. */
  const odd = [
    { ...FULL, name: 'yes' },
    { ...FULL, name: '1e3' },
    { ...FULL, name: ' # no comment: "quoted" \\ ', labels: { __proto__x: 'null', n: '007' } },
    {
      ...BUSY,
      name: 'Füllstand 🚀',
      action: { ...BUSY.action, body: 'First line\n\n  indented: {{x}}\n- item\n' },
    },
    { ...FULL, name: 'groups', condition: { any: [{ all: [FULL.condition] }, { not: BUSY.condition }] } },
    {
      ...FULL,
      name: 'numbers',
      condition: { cpu: { value: 0.1, operand: 'less' }, mem: { value: 1e-7, operand: 'less' } },
    },
    { ...FULL, name: 'all options', for: 0, repeat: 0, resolve: false, noData: 10, labels: {} },
  ];

  for (const ending of ['yaml', 'json'])
    it(`makes no difference to the service, as ${ending}, and apply changes nothing`, async () => {
      const { api, done, state } = await stage();
      for (const rule of odd) {
        const generic = await addGeneric(api, rule);
        for (const server of ['1', 'web-1', 'a:b~c.json'])
          await subscribe(api, server, generic, `${HOOK}?a=1&b=%20#x`);
        const own = await addRule(api, 'a:b~c.json', rule);
        await subscribe(api, 'a:b~c.json', own, HOOK);
      }
      await addRule(api, '1', BUSY);
      const path = pathOf(`rules.${ending}`);
      await done('pull', path);
      const { servers } = parse(await readFile(path, 'utf8')) as { readonly servers: object };
      expect(Object.keys(servers)).to.have.members(['1', 'a:b~c.json']);
      expect(servers).to.have.nested.property('a:b~c\\.json.rules').with.length(odd.length);
      const before = await state();
      expect(await done('diff', path)).to.equal('');
      expect(await done('diff', '--prune', path)).to.equal('');
      expect(await done('apply', '--prune', path)).to.equal('tenant demo: nothing to change\n');
      expect(await state()).to.equal(before);
    });

  it('makes an empty tenant the same', async () => {
    const { api, done } = await stage();
    for (const rule of odd) await subscribe(api, 'web-1', await addGeneric(api, rule), HOOK);
    await subscribe(api, 'web-2', await addRule(api, 'web-2', BUSY), HOOK);
    okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 9 }));
    const path = pathOf('rules.yaml');
    await done('pull', path);
    const other = await stage();
    await other.done('apply', path);
    expect(await other.done('pull')).to.equal(await readFile(path, 'utf8'));
  });
});
