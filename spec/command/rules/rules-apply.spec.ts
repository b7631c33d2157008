import { expect } from 'chai';
import { apiClient } from '../../e2e/api-client.js';
import { addGeneric, addRule, ALWAYS, okBody, subscribe } from '../../e2e/policy/actions.js';
import { BUSY, FULL, HOOK, rulesStages, runRules, subscriptionsOf } from './rules-stage.js';

const FILE = {
  tenant: 'demo',
  windowsize: 7,
  rules: [{ ...BUSY, subscriptions: [{ servers: ['web-1', 'web-2'], url: HOOK }] }],
  servers: { 'db-1': { rules: [{ ...FULL, subscriptions: [{ url: HOOK }] }] } },
};

describe('mirzam rules apply', () => {
  const { stage, yaml, file } = rulesStages();

  it('makes it so, and prints each step', async () => {
    const { api, done } = await stage();
    const path = await yaml('rules.yaml', FILE);
    expect((await done('apply', path)).split('\n')).to.deep.equal([
      'windowsize: changed from 5 to 7',
      'rule busy: added',
      `rule busy: subscribed ${HOOK} on web-1`,
      `rule busy: subscribed ${HOOK} on web-2`,
      'server db-1: rule "disk full": added',
      `server db-1: rule "disk full": subscribed ${HOOK} on db-1`,
      '',
    ]);
    expect(okBody(await api.call('GET', '/v1.0/demo'))).to.include({ windowsize: 7 });
    const generic = okBody(await api.call('GET', '/v1.0/demo/rules'))['rules'];
    expect(generic).to.have.length(1).and.to.have.nested.property('[0]').that.deep.includes(BUSY);
    const own = okBody(await api.call('GET', '/v1.0/demo/servers/db-1'))['rules'];
    expect(own).to.have.nested.property('[0]').that.deep.includes(FULL);
    expect(await subscriptionsOf(api)).to.deep.equal([
      `db-1 ${HOOK} disk full`,
      `web-1 ${HOOK} busy`,
      `web-2 ${HOOK} busy`,
    ]);
  });

  it('does nothing a second time', async () => {
    const { done, state } = await stage();
    const path = await yaml('rules.yaml', FILE);
    await done('apply', path);
    const after = await state();
    expect(await done('apply', path)).to.equal('tenant demo: nothing to change\n');
    expect(await done('diff', path)).to.equal('');
    expect(await state()).to.equal(after);
  });

  it('changes the members that differ, and takes away those that the file lacks, with the id of the rule', async () => {
    const { api, done } = await stage();
    const ruleId = await addGeneric(api, { ...BUSY, labels: { a: 'b' } });
    const own = await addRule(api, 'db-1', FULL);
    const { for: _, ...rest } = BUSY;
    const changed = { ...rest, repeat: 60, action: { ...BUSY.action, body: 'Now' } };
    const path = await yaml('rules.yaml', {
      rules: [changed],
      servers: { 'db-1': { rules: [{ ...FULL, noData: 60 }] } },
    });
    expect(await done('apply', path)).to.equal(
      'rule busy: changed action, for, repeat, labels\nserver db-1: rule "disk full": changed noData\n',
    );
    expect(okBody(await api.call('GET', `/v1.0/demo/rules/${ruleId}`))).to.deep.equal({ ...changed, ruleId });
    expect(okBody(await api.call('GET', `/v1.0/demo/servers/db-1/rules/${own}`))).to.include({ noData: 60 });
  });

  it('leaves the subscriptions of a rule without the member, and makes a list exact', async () => {
    const { api, done } = await stage();
    const busy = await addGeneric(api, BUSY);
    for (const server of ['web-1', 'web-2']) await subscribe(api, server, busy, HOOK);
    const path = await yaml('rules.yaml', { rules: [BUSY] });
    for (const more of [[], ['--prune']])
      expect(await done('apply', ...more, path)).to.equal('tenant demo: nothing to change\n');
    const exact = await yaml('exact.yaml', {
      rules: [{ ...BUSY, subscriptions: [{ servers: ['web-2', 'web-3'], url: HOOK }] }],
    });
    expect(await done('apply', exact)).to.equal(
      `rule busy: subscribed ${HOOK} on web-3\nrule busy: ended the subscription of ${HOOK} on web-1\n`,
    );
    expect(await subscriptionsOf(api)).to.deep.equal([`web-2 ${HOOK} busy`, `web-3 ${HOOK} busy`]);
    await done('apply', await yaml('none.yaml', { rules: [{ ...BUSY, subscriptions: [] }] }));
    expect(await subscriptionsOf(api)).to.deep.equal([]);
  });

  it('removes rules that the files lack, of servers that they do not name too, only with --prune', async () => {
    const { api, done, state } = await stage();
    await addGeneric(api, BUSY);
    const other = await addGeneric(api, { ...ALWAYS, name: 'other' });
    await subscribe(api, 'web-1', other, HOOK);
    const full = await addRule(api, 'db-1', FULL);
    await addRule(api, 'db-1', ALWAYS);
    await subscribe(api, 'db-1', full, HOOK);
    await addRule(api, 'db-2', FULL);
    const path = await yaml('rules.yaml', { rules: [BUSY], servers: { 'db-1': { rules: [ALWAYS] } } });
    const before = await state();
    expect(await done('diff', path)).to.equal('');
    expect(await done('apply', path)).to.equal('tenant demo: nothing to change\n');
    expect(await state()).to.equal(before);
    expect((await done('apply', '--prune', path)).split('\n')).to.deep.equal([
      'rule other: removed with 1 subscription',
      'server db-1: rule "disk full": removed with 1 subscription',
      'server db-2: rule "disk full": removed',
      '',
    ]);
    expect(await done('diff', '--prune', path)).to.equal('');
    expect(await subscriptionsOf(api)).to.deep.equal([]);
  });

  it('takes several files of one tenant as one', async () => {
    const { api, done } = await stage();
    await addRule(api, 'db-2', FULL);
    const first = await yaml('a.yaml', { rules: FILE.rules });
    const second = await file('b.json', { tenant: 'demo', servers: FILE.servers, rules: [ALWAYS] });
    await done('apply', '--prune', first, second);
    expect(okBody(await api.call('GET', '/v1.0/demo/rules'))['rules']).to.have.length(2);
    expect(okBody(await api.call('GET', '/v1.0/demo/servers/db-2'))['rules']).to.have.length(0);
    expect(okBody(await api.call('GET', '/v1.0/demo/servers/db-1'))['rules']).to.have.length(1);
  });

  it('refuses two rules of one name in the service, and names their ids', async () => {
    const { api, rules, state } = await stage();
    const ids = [await addGeneric(api, BUSY), await addGeneric(api, BUSY)];
    await addRule(api, 'db-1', FULL);
    await addRule(api, 'db-1', FULL);
    const before = await state();
    const path = await yaml('rules.yaml', { ...FILE, servers: {} });
    for (const command of ['apply', 'diff'])
      expect(await rules(command, path)).to.deep.equal({
        code: 2,
        out: '',
        err: `mirzam rules ${command}: names of rules must be unique in their list; in the service rule busy is there 2 times, as ${ids.join(' and ')}: rename or remove all but one\n`,
      });
    expect(await state()).to.equal(before);
  });

  it('removes rules that share a name which the files lack', async () => {
    const { api, done } = await stage();
    for (const rule of [FULL, FULL, BUSY]) await addGeneric(api, rule);
    const out = await done('apply', '--prune', await yaml('rules.yaml', { rules: [BUSY] }));
    expect(out).to.equal('rule "disk full": removed\nrule "disk full": removed\n');
  });
});

describe('mirzam rules apply that the service refuses', () => {
  const { stage, yaml } = rulesStages();

  it('changes nothing if one change is refused, and says which, and all of them', async () => {
    const { api, rules, state } = await stage();
    const busy = await addGeneric(api, BUSY);
    await subscribe(api, 'web-1', busy, HOOK);
    const before = await state();
    const path = await yaml('rules.yaml', {
      windowsize: 101,
      rules: [
        { ...BUSY, for: 5, subscriptions: [{ servers: ['web-1'], url: 'http://169.254.1.1/' }] },
        { ...ALWAYS, subscriptions: [{ servers: ['web-1', 'web-2'], url: 'http://[fe80::1]/' }] },
        { ...FULL, condition: { queue: { value: 1, operand: 'greater' } } },
      ],
    });
    const { code, out, err } = await rules('apply', path);
    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.match(/^mirzam rules apply: the service refuses this, and nothing was changed:\n/);
    expect(err).to.match(/^ {2}windowsize: change from 5 to 101: windowsize: must be .* \(400\)$/m);
    expect(err).to.match(/^ {2}rule busy: subscribe http:\/\/169.254.1.1\/ on web-1: .* \(400\)$/m);
    expect(err).to.match(/^ {2}rule always: subscribe http:\/\/\[fe80::1\]\/ on web-1: .* \(400\)$/m);
    expect(err).to.match(/^ {2}rule "disk full": add: condition.* \(400\)$/m);
    expect(err.split('\n')).to.have.length(6);
    expect(await state()).to.equal(before);
  });

  it('changes nothing if only an actor knows the conflict', async () => {
    const { api, rules, state } = await stage({ METRICS: '*' });
    const wide = (name: string, first: number) => ({
      ...ALWAYS,
      name,
      condition: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`m${first + i}`, { value: 1, operand: 'greater' }]),
      ),
    });
    await subscribe(api, 'web-1', await addRule(api, 'web-1', wide('a', 0)), HOOK);
    await addRule(api, 'web-1', wide('b', 20));
    const before = await state();
    const subscriptions = [{ url: HOOK }];
    const path = await yaml('rules.yaml', {
      windowsize: 9,
      servers: { 'web-1': { rules: [{ ...wide('b', 20), subscriptions }] } },
    });
    const { code, out, err } = await rules('apply', path);
    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.match(/server web-1: rule b: subscribe .*40.*32.* \(409\)\n$/);
    expect(await state()).to.equal(before);
  });

  it('half way says what was done and what was not', async () => {
    const { api, rules, done } = await stage({ METRICS: '*' });
    // The trial cannot see that both new rules together need too many windows.
    const wide = (name: string, first: number) => ({
      ...ALWAYS,
      name,
      condition: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`m${first + i}`, { value: 1, operand: 'greater' }]),
      ),
      subscriptions: [{ url: HOOK }],
    });
    const content = { servers: { 'web-1': { rules: [wide('a', 0), wide('b', 20), FULL] } } };
    const path = await yaml('rules.yaml', content);
    const { code, out, err } = await rules('apply', path);
    expect(code).to.equal(2);
    expect(out).to.equal(
      `server web-1: rule a: added\nserver web-1: rule a: subscribed ${HOOK} on web-1\nserver web-1: rule b: added\n`,
    );
    expect(err).to.match(
      /^mirzam rules apply: the service refuses a step that it accepted before:\n {2}server web-1: rule b: subscribe \S+ on web-1: .*32.* \(409\)\n3 of 5 steps were done, as printed; run it again when the cause is gone\n$/,
    );
    expect(await subscriptionsOf(api)).to.deep.equal([`web-1 ${HOOK} a`]);
    const less = {
      servers: { 'web-1': { rules: [{ ...wide('a', 0), subscriptions: [] }, wide('b', 20), FULL] } },
    };
    await done(
      'apply',
      await yaml('none.yaml', { servers: { 'web-1': { rules: [less.servers['web-1'].rules[0]] } } }),
    );
    expect(await done('apply', await yaml('less.yaml', less))).to.equal(
      `server web-1: rule b: subscribed ${HOOK} on web-1\nserver web-1: rule "disk full": added\n`,
    );
  });

  it('is not sent to another tenant than that of the token', async () => {
    const { url } = await stage({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const path = await yaml('rules.yaml', { ...FILE, tenant: 'other' });
    const environment = { MIRZAM_URL: url, MIRZAM_TOKEN: (await apiClient(url)).token };
    const other = await runRules(['apply', path], environment);
    expect([other.code, other.out]).to.deep.equal([2, '']);
    expect(other.err).to.match(/\(403\): tenantId/);
    const named = await runRules(['apply', path], { ...environment, MIRZAM_TENANT: 'demo' });
    expect(named.err).to.match(/the file is of tenant other, and MIRZAM_TENANT names demo/);
    const own = await yaml('own.yaml', FILE);
    expect(await runRules(['apply', own], environment)).to.include({ code: 0, err: '' });
  });

  it('ends with 2 if no service answers', async () => {
    const path = await yaml('rules.yaml', FILE);
    const environment = { MIRZAM_URL: 'http://127.0.0.1:1', MIRZAM_TOKEN: 'any' };
    for (const command of ['apply', 'diff'])
      expect(await runRules([command, path], environment)).to.include({ code: 2, out: '' });
  });
});
