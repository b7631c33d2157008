import { NO_METRICS } from '../../../src/config/metrics.js';
import { expect } from 'chai';
import type { Refusal } from '../../../src/errors.js';
import { openPolicyBodies, policyReaders, type OperationBodies } from '../../../src/policy/http/bodies.js';
import { leastOf } from '../../system/longest-hold.js';
import { longestTurn } from '../../system/longest-turn.js';
import { ruleBody } from './bodies.js';

const SETTINGS = { hdd: 'used', metrics: NO_METRICS, windowMax: 100 } as const;
const JUNK = { junk: 'x'.repeat(20_000) };

/** For each operation a body above the size that is read at once. */
const large: { readonly [B in keyof OperationBodies]: unknown } = {
  facts: { data: Array.from({ length: 2_000 }, (_, i) => ({ cpuLoadPct: i % 100, freeSpacePct: '10' })) },
  factsByEntity: {
    data: Array.from({ length: 2_000 }, (_, i) => ({ id: `web-${i % 7}`, cpuLoadPct: i % 100 })),
  },
  mqtt: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`metric_${i}_of_many_others`, i])),
  windowSize: { windowsize: 7, ...JUNK },
  rule: ruleBody(JUNK),
  ruleChange: { name: 'n', ...JUNK },
  rules: Array.from({ length: 300 }, (_, i) => ruleBody({ name: `r${i}` })),
  subscription: { ruleId: 'r', url: 'http://a', ...JUNK },
  mute: { for: 60, ...JUNK },
  ack: { note: 'mine', ...JUNK },
  quiet: { servers: ['web-*'], duration: 60, ...JUNK },
};

const listed = (body: OperationBodies['factsByEntity']) => ({ ...body, servers: [...body.servers] });

describe('large bodies of the policy API', () => {
  const bodies = openPolicyBodies(SETTINGS);
  const readers = policyReaders(SETTINGS);
  after(() => bodies.close());

  const outcome = async (read: () => unknown): Promise<unknown> => {
    try {
      const value = await read();
      // Those of a large body are read when they are taken.
      const isByEntity = typeof value === 'object' && value !== null && 'serverCount' in value;
      return { value: isByEntity ? listed(value as OperationBodies['factsByEntity']) : value };
    } catch (error) {
      const { code, message } = error as Refusal;
      return { code, message };
    }
  };
  const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

  for (const name of Object.keys(large) as (keyof OperationBodies)[]) {
    it(`have the same result as bodies read at once (${name})`, async () => {
      const body = large[name];
      const there = await outcome(() => bodies.read(name, bytesOf(body)));
      expect(there).to.deep.equal(await outcome(() => readers[name](body)));
    });
  }

  it('are refused if they are no JSON or nested too deeply', async () => {
    expect(await outcome(() => bodies.read('rule', Buffer.from('['.repeat(20_000))))).to.include({
      code: 'bad-request',
    });
    expect(await outcome(() => bodies.read('rule', Buffer.from(`${' '.repeat(20_000)}x`)))).to.include({
      code: 'unreadable',
    });
  });

  it('do not hold up the event loop', async () => {
    const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`m${i}`, 1]));
    const bytes = bytesOf(members);
    await outcome(() => bodies.read('rule', bytes));
    const here = await leastOf(() =>
      longestTurn(() => outcome(() => readers.rule(JSON.parse(bytes.toString())))),
    );
    const there = await leastOf(() => longestTurn(() => outcome(() => bodies.read('rule', bytes))), here / 2);
    expect(there).to.be.below(here / 2);
  });
});
