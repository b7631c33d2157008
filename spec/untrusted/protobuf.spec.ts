import { expect } from 'chai';
import protobuf from 'protobufjs/minimal.js';
import { Refusal } from '../../src/errors.js';
import { protobufReader } from '../../src/untrusted/protobuf.js';

const read = protobufReader(
  {
    Tree: {
      fields: {
        name: { type: 'string', id: 1 },
        children: { type: 'Leaf', id: 2, rule: 'repeated' },
        root: { type: 'Leaf', id: 3 },
        numbers: { type: 'uint32', id: 4, rule: 'repeated' },
        time: { type: 'fixed64', id: 5 },
        balance: { type: 'sfixed64', id: 6 },
        amount: { type: 'double', id: 7 },
        at: { type: 'int64', id: 8 },
      },
    },
    Leaf: {
      fields: {
        name: { type: 'string', id: 1 },
        numbers: { type: 'uint32', id: 4, rule: 'repeated' },
      },
    },
  },
  'Tree',
);

/** Returns the bytes of a message. */
function message(write: (writer: protobuf.Writer) => unknown): Buffer {
  const writer = protobuf.Writer.create();
  write(writer);
  return Buffer.from(writer.finish());
}

const refusalOf = (bytes: Buffer): Refusal => {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`taken: ${bytes.toString('hex')}`);
};

describe('Messages of protobuf', () => {
  it('are read by their descriptors, and the rest is skipped', () => {
    const child = message((writer) => writer.uint32(10).string('leaf').uint32(0x7a).string('unknown'));
    const bytes = message((writer) =>
      writer
        .uint32(10)
        .string('tree')
        .uint32(18)
        .bytes(child)
        .uint32(18)
        .bytes(Buffer.alloc(0))
        .uint32(0x52)
        .bytes(Buffer.alloc(1_000))
        .uint32(0x59)
        .fixed64(1)
        .uint32(0x65)
        .fixed32(1)
        .uint32(0x68)
        .uint64('18446744073709551615')
        .uint32(41)
        .fixed64('1700000000123456768')
        .uint32(49)
        .sfixed64(-3)
        .uint32(57)
        .double(0.25)
        .uint32(64)
        .int64(-5),
    );
    expect(read(bytes)).to.deep.equal({
      name: 'tree',
      children: [{ name: 'leaf' }, {}],
      time: 1_700_000_000_123_456_768,
      balance: -3,
      amount: 0.25,
      at: -5,
    });
    expect(read(Buffer.alloc(0))).to.deep.equal({});
  });

  it('have lists of numbers in either form', () => {
    const numbers = message((writer) => writer.uint32(1).uint32(300));
    const bytes = message((writer) => writer.uint32(34).bytes(numbers).uint32(32).uint32(7));
    expect(read(bytes)).to.deep.equal({ numbers: [1, 300, 7] });
  });

  it('are put together from parts', () => {
    const first = message((writer) => writer.uint32(10).string('root').uint32(32).uint32(1));
    const second = message((writer) => writer.uint32(32).uint32(2));
    const bytes = message((writer) => writer.uint32(26).bytes(first).uint32(26).bytes(second));
    expect(read(bytes)).to.deep.equal({ root: { name: 'root', numbers: [1, 2] } });
  });

  for (const [what, bytes] of [
    ['that end early', message((writer) => writer.uint32(10).string('tree')).subarray(0, 4)],
    ['with a field longer than the body', Buffer.from([18, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['with a field longer than its message', Buffer.from([18, 2, 10, 4, 97, 97, 97, 97])],
    ['with a number longer than its list', Buffer.from([34, 1, 0x80, 1])],
    ['with a skipped field that ends after its message', Buffer.from([18, 2, 0x7a, 2, 97, 97])],
    ['with a number without an end', Buffer.alloc(20, 0x80)],
    ['with a group', Buffer.from([0x7b, 0x7c])],
    ['that are text', Buffer.from('{"resourceMetrics":[]}')],
  ] as const) {
    it(`are refused as bytes ${what}`, () => {
      const { code, message: text } = refusalOf(bytes);
      expect(code).to.equal('unreadable');
      expect(text).to.match(/^the body is not a protobuf message of type Tree, near its byte \d+$/);
    });
  }
});
