import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { addGeneric, addRule, ALWAYS, okBody, subscribe } from '../../e2e/policy/actions.js';
import { BUSY, FULL, HOOK, rulesStages } from './rules-stage.js';

describe('mirzam rules diff', () => {
  const { stage, yaml } = rulesStages();

  it('prints each rule that would change as one block, ends with 1, and changes nothing', async () => {
    const { api, rules, state } = await stage();
    const busy = await addGeneric(api, BUSY);
    for (const server of ['web-1', 'web-2']) await subscribe(api, server, busy, HOOK);
    await addGeneric(api, ALWAYS);
    await addRule(api, 'db-1', FULL);
    const before = await state();
    const { repeat: _, ...rest } = BUSY;
    const changed = { ...rest, for: 60, labels: { severity: 'info' } };
    const path = await yaml('rules.yaml', {
      windowsize: 9,
      rules: [
        { ...changed, subscriptions: [{ servers: ['web-2', 'web-3'], url: HOOK }] },
        ALWAYS,
        { ...FULL, subscriptions: [] },
      ],
      servers: { 'db-1': { rules: [{ ...FULL, action: { ...FULL.action, operation: 'scaleDown' } }] } },
    });
    const { code, out, err } = await rules('diff', path);
    expect([code, err]).to.deep.equal([1, '']);
    expect(out).to.equal(`--- windowsize
+++ windowsize
@@ -1,1 +1,1 @@
-windowsize: 5
+windowsize: 9
--- rule busy
+++ rule busy
@@ -8,11 +8,12 @@
   actionName: notify-email
   email: ops@example.org
   body: Add a machine
-for: 600
-repeat: 0
+for: 60
 resolve: true
+labels:
+  severity: info
 subscriptions:
   - servers:
-      - web-1
       - web-2
+      - web-3
     url: ${HOOK}
--- /dev/null
+++ rule "disk full"
@@ -0,0 +1,9 @@
+name: disk full
+condition:
+  hdd:
+    value: 90
+    operand: greater equal
+action:
+  actionName: notify-scale
+  operation: scaleUp
+subscriptions: []
--- server db-1: rule "disk full"
+++ server db-1: rule "disk full"
@@ -5,4 +5,4 @@
     operand: greater equal
 action:
   actionName: notify-scale
-  operation: scaleUp
+  operation: scaleDown
`);
    expect(await state()).to.equal(before);
    expect((await rules('apply', path)).code).to.equal(0);
    expect(await rules('diff', path)).to.deep.equal({ code: 0, out: '', err: '' });
  });

  it('prints what --prune removes', async () => {
    const { api, rules } = await stage();
    const full = await addRule(api, 'db-1', FULL);
    await subscribe(api, 'db-1', full, HOOK);
    const { code, out } = await rules('diff', '--prune', await yaml('rules.yaml', { rules: [] }));
    expect(code).to.equal(1);
    expect(out).to.match(/^--- server db-1: rule "disk full"\n\+\+\+ \/dev\/null\n@@ /);
    expect(out).to.include(`-subscriptions:\n-  - url: ${HOOK}\n`);
  });

  it('sees no difference in the order of members, of servers and of subscriptions', async () => {
    const { api, done } = await stage();
    const two = { mem: { operand: 'less', value: 1 }, cpu: { value: 85, operand: 'greater' } };
    const ruleId = await addGeneric(api, { ...BUSY, condition: two, labels: { b: '1', a: '2' } });
    for (const server of ['web-1', 'web-2']) {
      await subscribe(api, server, ruleId, HOOK);
      await subscribe(api, server, ruleId, `${HOOK}/2`);
    }
    const { cpu, mem } = two;
    const { action, ...rest } = BUSY;
    const path = await yaml('rules.yaml', {
      rules: [
        {
          action,
          ...rest,
          labels: { a: '2', b: '1' },
          condition: { cpu, mem },
          subscriptions: [
            { url: `${HOOK}/2`, servers: ['web-2', 'web-1'] },
            { url: HOOK, servers: ['web-2'] },
            { url: HOOK, servers: ['web-1'] },
          ],
        },
      ],
    });
    expect(await done('diff', path)).to.equal('');
  });

  it('sees a difference in the order of a group, and one of types', async () => {
    const { api, rules } = await stage();
    const [one, other] = [BUSY.condition, FULL.condition];
    await addGeneric(api, { ...FULL, condition: { any: [one, other] }, resolve: false });
    const swapped = await rules(
      'diff',
      await yaml('a.yaml', { rules: [{ ...FULL, condition: { any: [other, one] }, resolve: false }] }),
    );
    expect(swapped.code).to.equal(1);
    const without = await yaml('b.yaml', { rules: [{ ...FULL, condition: { any: [one, other] } }] });
    expect((await rules('diff', without)).out).to.match(/^-resolve: false$/m);
  });

  it('of a tenant that is not known yet prints all rules', async () => {
    const { api, rules } = await stage();
    const { code, out } = await rules('diff', await yaml('rules.yaml', { rules: [BUSY] }));
    expect(code).to.equal(1);
    expect(out).to.match(/^--- \/dev\/null\n\+\+\+ rule busy\n/);
    expect(okBody(await api.call('GET', '/v1.0/demo/rules'))).to.deep.equal({ rules: [] });
  });
});

describe('mirzam rules diff of a file with tests', () => {
  const { stage, yaml, file, pathOf } = rulesStages();
  const PLAIN = { ...FULL, name: 'busy', condition: { cpu: { value: 85, operand: 'greater' } } };
  const SERIES = fileURLToPath(new URL('../../../../examples/ec2-cpu-ac20cd.csv', import.meta.url));
  const test = { rule: 'busy', csv: SERIES, time: 'timestamp', metrics: { cpu: 'value' } };
  const figures = (out: string): readonly string[] =>
    out
      .split('\n')
      .filter((line) => /→/.test(line))
      .map((line) => line.slice(line.lastIndexOf('/') + 1));

  it('says what the old and the new rule send for the series of each test', async () => {
    const { api, rules } = await stage();
    await addGeneric(api, PLAIN);
    await addGeneric(api, { ...PLAIN, name: 'same' });
    const { condition, for: held, repeat, resolve } = BUSY;
    const changed = { ...PLAIN, condition, for: held, repeat, resolve };
    const tests = [test, { ...test, windowsize: 1 }, { ...test, rule: 'same' }];
    const content = { rules: [changed, { ...PLAIN, name: 'same' }], tests };
    const { code, out } = await rules('diff', await yaml('rules.yaml', content));
    expect(code).to.equal(1);
    expect(figures(out)).to.deep.equal([
      'ec2-cpu-ac20cd.csv: 453 → 1 messages',
      'ec2-cpu-ac20cd.csv: 457 → 1 messages',
    ]);
    expect(out).to.match(/\n\+resolve: true\n\S+: 453 → 1 messages\n\S+: 457 → 1 messages\n$/);
  });

  it('counts none before a rule is there, and none for a rule whose subscriptions alone change', async () => {
    const { api, rules } = await stage();
    const own = await addRule(api, 'web-1', PLAIN);
    const content = {
      rules: [PLAIN],
      servers: { 'web-1': { rules: [{ ...PLAIN, subscriptions: [{ url: HOOK }] }] } },
      tests: [test, { ...test, server: 'web-1' }],
    };
    const { out } = await rules('diff', await yaml('rules.yaml', content));
    expect(figures(out)).to.deep.equal(['ec2-cpu-ac20cd.csv: 0 → 453 messages']);
    expect(okBody(await api.call('GET', `/v1.0/demo/servers/web-1/rules/${own}`))).to.deep.include(PLAIN);
  });

  it('plays the series at the window size of the service, and at that of the files', async () => {
    const { api, rules } = await stage();
    await addGeneric(api, PLAIN);
    okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 2 }));
    await file('few.csv', 'at;load\n2026-01-01;90\n2026-01-01T00:01;90\n2026-01-01T00:02;90\n');
    const tests = [{ rule: 'busy', csv: 'few.csv', time: 'at', metrics: { cpu: 'load' } }];
    const changed = { ...PLAIN, labels: { a: 'b' } };
    const kept = await rules('diff', await yaml('a.yaml', { rules: [changed], tests }));
    expect(figures(kept.out)).to.deep.equal(['few.csv: 2 → 2 messages']);
    const resized = await rules('diff', await yaml('b.yaml', { windowsize: 3, rules: [changed], tests }));
    expect(figures(resized.out)).to.deep.equal(['few.csv: 2 → 1 messages']);
  });

  it('ends with 2 if a series cannot be read', async () => {
    const { rules } = await stage();
    await file('bad.csv', 'at,load\n2026-01-01,90\n2026-01-02,x\n');
    for (const [csv, load, words] of [
      ['none.csv', 'load', /: none\.csv: there is no such file \(\/.*none\.csv\)\n$/],
      ['bad.csv', 'load', /: bad\.csv: line 3: load must be a number, not "x"\n$/],
      ['bad.csv', 'cpu', /: bad\.csv: there is no column "cpu"; there are at, load\n$/],
    ] as const) {
      const tests = [{ rule: 'busy', csv, time: 'at', metrics: { cpu: load } }];
      const { code, err } = await rules('diff', await yaml('rules.yaml', { rules: [PLAIN], tests }));
      expect(code).to.equal(2);
      expect(err).to.match(words);
    }
    expect(pathOf('bad.csv')).to.match(/bad\.csv$/);
  });
});
