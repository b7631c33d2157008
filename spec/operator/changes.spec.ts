import { expect } from 'chai';
import { createChanges } from '../../src/operator/changes.js';

const STEP_MS = 15 * 60_000;
const BEGIN = Date.parse('2026-11-21T10:05:00Z');

describe('the changes of states in the last day', () => {
  let now: number;
  beforeEach(() => {
    now = BEGIN;
  });
  const changes = () => createChanges(() => now);
  const name = (text: string) => () => text;

  it('are counted by state and step, from the start of the node on', () => {
    const counted = changes();
    counted.add('a', { to: 'firing' }, name('busy'));
    now += STEP_MS;
    counted.add('a', { to: 'calm' }, name('busy'));
    counted.add('b', { to: 'noData' }, name('heartbeat'));
    counted.add('b', { to: 'filling' }, name('heartbeat'));
    expect(counted.read(undefined)).to.deep.equal({
      since: '2026-11-21T10:05:00.000Z',
      stepSeconds: 900,
      lines: { firing: [1, 0], noData: [0, 1], pending: [0, 0], calm: [0, 1] },
      rules: [
        { tenantId: 'a', name: 'busy', firing: 1, noData: 0 },
        { tenantId: 'b', name: 'heartbeat', firing: 0, noData: 1 },
      ],
    });
  });

  it('of a tenant are its own', () => {
    const counted = changes();
    counted.add('a', { to: 'firing' }, name('busy'));
    const { lines, rules } = counted.read('b');
    expect([lines.firing, rules]).to.deep.equal([[0], []]);
  });

  it('are forgotten after a day', () => {
    const counted = changes();
    counted.add('a', { to: 'firing' }, name('busy'));
    now += 95 * STEP_MS;
    expect(counted.read('a').lines.firing.indexOf(1)).to.equal(0);
    now += STEP_MS;
    const { since, lines, rules } = counted.read('a');
    expect([since, lines.firing.length, Math.max(...lines.firing), rules]).to.deep.equal([
      '2026-11-21T10:15:00.000Z',
      96,
      0,
      [],
    ]);
  });

  it('name the five rules that changed most often, over all steps', () => {
    const counted = changes();
    for (let rule = 0; rule < 8; rule += 1) {
      for (let times = 0; times <= rule; times += 1) {
        now += 1_000;
        counted.add('a', { to: times % 2 === 0 ? 'firing' : 'noData' }, name(`rule ${rule}`));
      }
      now += STEP_MS;
    }
    counted.add('a', { to: 'firing' }, name('rule 0'));
    expect(
      counted.read('a').rules.map(({ name, firing, noData }) => `${name} ${firing} ${noData}`),
    ).to.deep.equal(['rule 7 4 4', 'rule 6 4 3', 'rule 5 3 3', 'rule 4 3 2', 'rule 3 2 2']);
  });

  it('count the rules of one name as one, for each tenant', () => {
    const counted = changes();
    for (const tenant of ['a', 'a', 'b']) counted.add(tenant, { to: 'firing' }, name('busy'));
    expect(counted.read(undefined).rules).to.deep.equal([
      { tenantId: 'a', name: 'busy', firing: 2, noData: 0 },
      { tenantId: 'b', name: 'busy', firing: 1, noData: 0 },
    ]);
  });
});
