import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { metricList } from '../../src/config/metrics.js';
import { faultsOf } from './faults-of.js';

const ALLOWED = `; allowed: ${metricList.allowed}`;

/** The faults of `METRICS` in words of their own, without what is allowed. */
function faults(METRICS: string): readonly string[] {
  return faultsOf({ METRICS }).map((fault) => {
    expect(fault)
      .to.match(/^METRICS: /)
      .and.satisfy((text: string) => text.endsWith(ALLOWED));
    return fault.slice('METRICS: '.length, -ALLOWED.length);
  });
}

describe('METRICS', () => {
  it('has names with ranges or without, or allows every name', () => {
    const { metrics } = loadConfig({ METRICS: 'queue, _t1:-40..1.2e2 ,ratio:.5..+.5' });
    expect(metrics).to.deep.equal({
      any: false,
      listed: [{ name: 'queue' }, { name: '_t1', range: [-40, 120] }, { name: 'ratio', range: [0.5, 0.5] }],
    });
    expect(loadConfig({ METRICS: ' * ' }).metrics).to.deep.equal({ any: true, listed: [] });
  });

  it('has no name that is not one, nor one of the document, of conditions or of entities', () => {
    const longest = 'x'.repeat(64);
    expect(faultsOf({ METRICS: longest })).to.deep.equal([]);
    const names = [
      '1queue',
      'a b',
      'a-b',
      'é',
      `${longest}x`,
      '',
      '*',
      'cpu',
      'freeSpacePct',
      'any',
      'all',
      'not',
      'id',
      'type',
      'createdAt',
      'modifiedAt',
      'deletedAt',
    ];
    for (const name of names) {
      expect(faults(`queue,${name}`), name).to.deep.equal(['number 2 of the list has a wrong name']);
    }
    expect(faults('queue,queue:1..2')).to.deep.equal(['number 2 of the list is there already']);
  });

  it('says what is wrong with a range', () => {
    for (const range of ['', '1', '1..', '..2', '1..2..3', ' 1..2', '0x1..2', 'NaN..2', '1..Infinity']) {
      expect(faults(`queue:${range}`), range).to.deep.equal([
        'number 1 of the list has a wrong range: it must be two numbers, min..max',
      ]);
    }
    for (const range of ['2..1', '0..1e400']) {
      expect(faults(`queue:${range}`), range).to.deep.equal([
        'number 1 of the list has a wrong range: min must be at most max, both finite',
      ]);
    }
  });
});
