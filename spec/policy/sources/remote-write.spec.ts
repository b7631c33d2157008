import { expect } from 'chai';
import { compressSync } from 'snappy';
import { readRemoteWrite } from '../../../src/policy/sources/remote-write.js';
import { inflated } from '../../../src/policy/sources/snappy-block.js';
import { inflatedLength } from '../../../src/policy/sources/snappy-length.js';
import { refused } from '../http/refused.js';
import { series, writeRequest } from './write-requests.js';

const T = 1_700_000_000_123;

for (const message of ['prometheus.WriteRequest', 'io.prometheus.write.v2.Request'] as const) {
  describe(`a message ${message}`, () => {
    it('is read with the values, the labels that matter, and the numbers of the rest', () => {
      const bytes = writeRequest(message, [
        { ...series('web-1:9100', 'cpu', 12.5, T), histograms: 2, exemplars: 3 },
        {
          labels: { instance: 'wéb', other: 'x', __name__: 'mem' },
          samples: [
            [0, T],
            [NaN, 0],
            [-1, -5],
          ],
        },
        { labels: { job: 'x' }, samples: [[1, T]] },
        { labels: { __name__: 'cpu' }, histograms: 1 },
      ]);
      expect(readRemoteWrite(message, bytes)).to.deep.equal({
        values: [
          { server: 'web-1:9100', metric: 'cpu', value: 12.5, at: T },
          { server: 'wéb', metric: 'mem', value: 0, at: T },
          { server: 'wéb', metric: 'mem', value: NaN, at: 0 },
          { server: 'wéb', metric: 'mem', value: -1, at: -5 },
          { server: '', metric: '', value: 1, at: T },
        ],
        samples: 5,
        histograms: 3,
        exemplars: 3,
      });
    });

    it('without anything is empty', () => {
      expect(readRemoteWrite(message, Buffer.alloc(0)).values).to.deep.equal([]);
    });

    it('is unreadable if it is cut short', () => {
      const whole = writeRequest(message, [series('web-1', 'cpu', 1, T)]);
      for (let missing = 1; missing < 20; missing += 1) {
        const { code } = refused(() => readRemoteWrite(message, whole.subarray(0, -missing)));
        expect(code).to.equal('unreadable');
      }
    });
  });
}

describe('a message of the other version', () => {
  const [V1, V2] = ['prometheus.WriteRequest', 'io.prometheus.write.v2.Request'] as const;
  for (const [named, sent] of [
    [V1, V2],
    [V2, V1],
  ] as const) {
    it(`is unreadable, and not empty: ${sent} that is called ${named}`, () => {
      const bytes = writeRequest(sent, [series('web-1', 'cpu', 50, 1)]);
      const { code, message } = refused(() => readRemoteWrite(named, bytes));
      expect(code).to.equal('unreadable');
      expect(message).to.match(
        /^the body has series of remote write [12]\.0, but its Content-Type names [12]\.0; /,
      );
    });
  }
});

describe('a message of remote write 2.0', () => {
  const read = (bytes: readonly number[]) =>
    readRemoteWrite('io.prometheus.write.v2.Request', Buffer.from(bytes));

  it('may have its symbols after its series', () => {
    const name = Buffer.from('instance');
    const bytes = [0x2a, 0x04, 0x0a, 0x02, 0x00, 0x01, 0x22, 8, ...name, 0x22, 1, 0x61];
    expect(read(bytes).values).to.deep.equal([]);
    expect(read([...bytes, 0x2a, 0x06, 0x08, 0x00, 0x08, 0x01, 0x12, 0x00]).values).to.deep.equal([
      { server: 'a', metric: '', value: 0, at: 0 },
    ]);
  });

  it('is unreadable with labels that are no pairs of symbols', () => {
    for (const refs of [[0], [0, 1], [0, 0xff, 0xff, 0xff, 0xff, 0x0f]]) {
      const bytes = [0x22, 0x00, 0x2a, refs.length + 2, 0x0a, refs.length, ...refs];
      const { code, message } = refused(() => read(bytes));
      expect(code).to.equal('unreadable');
      expect(message).to.match(/^timeseries: labels_refs must /);
    }
  });
});

describe('a block of snappy', () => {
  it('says its length, which is checked before it is inflated', () => {
    const text = Buffer.from('to be, or not to be, '.repeat(100));
    const block = compressSync(text);
    expect(inflatedLength(block)).to.equal(text.length);
    expect(inflated(block)).to.deep.equal(text);
    expect(inflatedLength(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]))).to.equal(2 ** 32 - 1);
  });

  it('is unreadable if it is none, or has another length than it says', () => {
    const block = compressSync(Buffer.alloc(1_000));
    const shorter = Buffer.concat([Buffer.from([0xe7, 0x07]), block.subarray(2)]);
    const longer = Buffer.concat([Buffer.from([0xe9, 0x07]), block.subarray(2)]);
    // A literal of a length that is negative in 32 bits.
    const negative = Buffer.from([10, 0xfc, 0xfa, 0xff, 0xff, 0xff, ...Buffer.alloc(20)]);
    for (const bytes of [shorter, longer, block.subarray(0, -1), negative, Buffer.from('{"a": 1}')])
      expect(refused(() => inflated(bytes)).code).to.equal('unreadable');
    for (const bytes of [[], [0x80], [0xff, 0xff, 0xff, 0xff, 0x1f], [0x80, 0x80, 0x80, 0x80, 0x80, 0x00]])
      expect(refused(() => inflatedLength(Buffer.from(bytes))).code).to.equal('unreadable');
  });
});
