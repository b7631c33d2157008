import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { rulesFileSchema } from '../../src/openapi/rules-file.js';
import { scenes } from '../e2e/scene.js';
import { rulesStages, runRules } from '../command/rules/rules-stage.js';

const one = { value: 1, operand: 'less' };
const deep = (groups: number): object => (groups === 0 ? { cpu: one } : { not: deep(groups - 1) });
const scaling = { actionName: 'notify-scale', operation: 'scaleUp' };
const rule = { name: 'a', condition: { cpu: one }, action: scaling };
const bound = { servers: ['web-1'], url: 'http://a.example' };
const test = { rule: 'a', csv: 'a.csv', time: 't', metrics: { cpu: 'v' } };
const message = { state: 'firing', at: '2026-11-21T11:00:00Z' };

/** Files that differ from one that is right in one place. */
const withRule = (change: object): object => ({ rules: [{ ...rule, ...change }] });
const withTest = (change: object): object => ({ rules: [rule], tests: [{ ...test, ...change }] });
const ofServer = (id: string, change: object = {}): object => ({
  servers: { [id]: { rules: [{ ...rule, ...change }] } },
});

const RIGHT: readonly object[] = [
  {},
  { tenant: 'demo', windowsize: 10_000, rules: [rule], servers: {}, tests: [] },
  withRule({ for: 604_800, repeat: 0, resolve: true, noData: 10, labels: { severity: 'critical' } }),
  withRule({ condition: { queue: { value: -7, operand: 'greater', clear: -8, aggregate: 'max' } } }),
  withRule({ condition: deep(4) }),
  withRule({ condition: { any: [{ cpu: one, at: one }, { all: [{ mem: one }] }] } }),
  withRule({ action: { actionName: 'notify-email', email: 'a@b.example', body: 'text' } }),
  withRule({ subscriptions: [] }),
  withRule({ subscriptions: [bound, { ...bound, servers: ['a:b.c~d', 'web-2'] }] }),
  ofServer('web-1.example.org', { subscriptions: [{ url: 'http://a.example' }] }),
  withRule({
    subscriptions: [{ ...bound, format: 'cloudevents', headers: { Authorization: 'Bearer ${TOKEN}' } }],
  }),
  withRule({
    subscriptions: [
      { ...bound, format: 'template', template: { contentType: 'text/plain', body: '{{title}}' } },
    ],
  }),
  { servers: { 'web-1': {} } },
  withTest({}),
  withTest({ windowsize: 1, gap: 0, expect: {} }),
  withTest({ expect: { firings: 0, held: 0.5, evaluations: 3, messages: [message] } }),
  { ...ofServer('web-1'), tests: [{ ...test, server: 'web-1' }] },
];

const WRONG: readonly object[] = [
  { colour: 'red' },
  { tenant: 5 },
  { tenant: 'a b' },
  { windowsize: 0 },
  { windowsize: 10_001 },
  { windowsize: null },
  { rules: null },
  { rules: {} },
  { rules: [null] },
  { servers: [] },
  { servers: { 'a*b': {} } },
  { servers: { '..': {} } },
  { servers: { 'web-1': { subscriptions: [] } } },
  { tests: {} },
  ...['name', 'condition', 'action'].map((member) => withRule({ [member]: undefined })),
  withRule({ name: ' ' }),
  withRule({ name: 'x'.repeat(257) }),
  withRule({ fro: 5 }),
  withRule({ for: -1 }),
  withRule({ for: null }),
  withRule({ noData: 9 }),
  withRule({ resolve: 'yes' }),
  withRule({ labels: { '1': 'a' } }),
  withRule({ condition: {} }),
  withRule({ condition: { cpu: { value: 100.5, operand: 'less' } } }),
  withRule({ condition: { cpu: { value: 1, operand: 'equal' } } }),
  withRule({ condition: { queue: { value: '7', operand: 'less' } } }),
  withRule({ condition: { cpuLoadPct: one } }),
  withRule({ condition: { id: one } }),
  withRule({ condition: { '9x': one } }),
  withRule({ condition: { any: [] } }),
  withRule({ condition: { cpu: one, not: { mem: one } } }),
  withRule({ condition: deep(5) }),
  withRule({ action: { actionName: 'notify-email', operation: 'scaleUp' } }),
  withRule({ action: { ...scaling, operation: 'stop' } }),
  withRule({ subscriptions: null }),
  withRule({ subscriptions: [{ url: 'http://a.example' }] }),
  withRule({ subscriptions: [{ ...bound, servers: [] }] }),
  withRule({ subscriptions: [{ ...bound, servers: ['a b'] }] }),
  withRule({ subscriptions: [{ ...bound, url: '' }] }),
  withRule({ subscriptions: [{ ...bound, tags: {} }] }),
  withRule({ subscriptions: [{ ...bound, format: 'slack' }] }),
  withRule({ subscriptions: [{ ...bound, headers: { 'X A': 'b' } }] }),
  withRule({ subscriptions: [{ ...bound, headers: { 'X-A': '' } }] }),
  withRule({ subscriptions: [{ ...bound, format: 'template', template: { body: 'a' } }] }),
  ofServer('web-1', { subscriptions: [bound] }),
  ...['rule', 'csv', 'time', 'metrics'].map((member) => withTest({ [member]: undefined })),
  withTest({ server: 'a*b' }),
  withTest({ metrics: {} }),
  withTest({ metrics: { at: 'v' } }),
  withTest({ metrics: { cpu: 5 } }),
  withTest({ windowsize: 0 }),
  withTest({ gap: -1 }),
  withTest({ expect: null }),
  withTest({ expect: { firings: 0.5 } }),
  withTest({ expect: { held: -1 } }),
  withTest({ expect: { sent: 3 } }),
  withTest({ expect: { messages: [{ ...message, state: 'calm' }] } }),
  withTest({ expect: { messages: [{ ...message, at: '2026-11-21' }] } }),
];

describe('the schema of a file of rules', () => {
  const { file } = rulesStages();
  const open = scenes();
  const validate = new Ajv2020({ strict: false, unicodeRegExp: true }).compile(rulesFileSchema());
  /** True if `mirzam rules` can use a file. No service answers, so that it fails after it has read the file. */
  const isUsed = async (content: object): Promise<boolean> => {
    const environment = { MIRZAM_URL: 'http://127.0.0.1:1', MIRZAM_TENANT: 'demo', MIRZAM_TOKEN: 'any' };
    const { err } = await runRules(['diff', await file('rules.yaml', stringify(content))], environment);
    return !err.includes('these rules cannot be used');
  };
  const asJson = (content: object): object => parse(stringify(content)) as object;

  it('takes what mirzam rules takes', async () => {
    for (const content of RIGHT) {
      expect(await isUsed(content), JSON.stringify(content)).to.equal(true);
      expect(validate(asJson(content)), JSON.stringify([content, validate.errors])).to.equal(true);
    }
  });

  it('refuses what mirzam rules refuses', async () => {
    for (const content of WRONG) {
      expect(await isUsed(content), JSON.stringify(content)).to.equal(false);
      expect(validate(asJson(content)), JSON.stringify(content)).to.equal(false);
    }
  });

  it('takes the file of the examples, whose tests pass', async () => {
    const example = fileURLToPath(new URL('../../../examples/rules.yaml', import.meta.url));
    const { code, out } = await runRules(['test', example], {});
    expect(out).to.match(/^2 tests: 2 ok, 0 failed, 0 could not be run$/m);
    expect(code).to.equal(0);
    const isFitting = validate(parse(await readFile(example, 'utf8')));
    expect(isFitting, JSON.stringify(validate.errors)).to.equal(true);
  });

  it('is at /schemas/rules.json, and in the package', async () => {
    const { url } = await open.service({});
    const answer = await fetch(`${url}/schemas/rules.json`);
    expect(answer.headers.get('content-type')).to.match(/^application\/schema\+json/);
    expect(await answer.json()).to.deep.equal(rulesFileSchema());
    const packed = await readFile(new URL('../../../deploy/rules.schema.json', import.meta.url), 'utf8');
    expect(JSON.parse(packed)).to.deep.equal(rulesFileSchema());
  });
});
