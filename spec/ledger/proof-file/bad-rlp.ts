import { RLP } from '@ethereumjs/rlp';
import { bytesOf } from '../../../src/ledger/proof-file/bytes.js';
import type { ProofFile } from '../../../src/library/proof.js';
import { type Hex, keccak } from '../../../src/system/chain-bytes.js';
import { bad, CREATE, made, node } from './bad-vector.js';
import { hashed, headerWith, nestedTo } from './changed-header.js';
import { CONTRACT, OTHER_CONTRACT } from './made-block.js';
import { madeFile, type Vector } from './vectors.js';

/** Makes the vectors whose RLP is not the shortest, or has a list in place of bytes, or bytes in place of a list. */
export async function badRlp(): Promise<readonly Vector[]> {
  const leaf = (await madeFile(CREATE)).receipt.proof[0]!;
  const root = keccak(bytesOf(leaf));
  return Promise.all([
    header('bytes-after-header', 'a byte after the header', (block) =>
      hashed(block, Buffer.concat([bytesOf(block.header), Uint8Array.of(0)])),
    ),
    header('byte-with-length', 'the number has a length before a byte that needs none', (block) =>
      headerWith(block, 8, Uint8Array.of(0x81, 42)),
    ),
    header('length-with-zero', 'the length of the bloom has a zero in front', (block) =>
      headerWith(block, 6, Buffer.concat([Uint8Array.of(0xba, 0, 1, 0), new Uint8Array(256)])),
    ),
    header('header-of-65-levels', 'an item of the header is a list: 65 levels with the header', (block) =>
      nestedTo(65, block),
    ),
    header('root-as-list', 'the root of the receipts is a list', (block) =>
      headerWith(block, 5, RLP.encode([root])),
    ),
    header('number-as-list', 'the number is a list', (block) => headerWith(block, 8, RLP.encode([42n]))),
    header(
      'time-in-seconds',
      'the largest time that is in seconds, read as nanoseconds',
      (block) => headerWith(block, 11, RLP.encode(10n ** 15n)),
      '1970-01-12T13:46:40.000Z',
    ),
    bad(
      'header',
      'time-rounded',
      'a time in nanoseconds is rounded to milliseconds',
      {
        ...CREATE,
        block: { time: 1_767_225_600_123_999_999n },
      },
      (file) => ({ ...file, recordedAt: '2026-01-01T00:00:00.124Z' }),
    ),
    bad(
      'header',
      'time-cut',
      'a time in nanoseconds is cut to seconds',
      {
        ...CREATE,
        block: { time: 1_767_225_600_123_999_999n },
      },
      (file) => ({ ...file, recordedAt: '2026-01-01T00:00:00.000Z' }),
    ),

    bad('event', 'receipt-as-list', 'the value of the leaf is a list with the receipt', {
      ...CREATE,
      block: { receiptNode: (receipt) => ['0x2080', [RLP.decode(receipt)]] },
    }),
    made('event', 'log-address-as-list', 'another log has a list as its address', {
      lastLog: [[OTHER_CONTRACT], [], '0x'],
    }),
    made('transaction', 'receiver-as-list', 'the receiver is a list', { type: 2, to: [CONTRACT] }),
    made('transaction', 'bytes-after-transaction', 'a byte after the transaction', { tail: '0x00' }),

    node('branch-at-the-end', 'the last node is a branch', (receipt) => [
      ...Array<Hex>(16).fill('0x'),
      receipt,
    ]),
    node(
      'value-of-a-branch',
      'the path ends at a branch, whose last item is the receipt',
      (receipt) => [...Array<Hex>(16).fill('0x'), receipt],
      '0x0080',
    ),
    bad(
      'receipt',
      'node-after-leaf',
      'after the leaf, which has no event, a node with an event',
      { ...CREATE, record: { logs: [] } },
      (file) => ({ ...file, receipt: { proof: [...file.receipt.proof, leaf] } }),
    ),
    node('leaf-with-flag-4', 'the flag of the leaf is 4', (receipt) => ['0x4080', receipt]),
    node('path-as-list', 'the path of the leaf is a list', (receipt) => [['0x20', '0x'], receipt]),
    node(
      'leaf-with-flag-5',
      'the flag of a leaf with one digit is 5',
      (receipt) => ['0x50', receipt],
      '0x18',
    ),
    node('extension-with-flag-4', 'the flag of the extension is 4', (receipt) => ['0x2080', receipt], '0x40'),
    node('extension-with-flag-5', 'the flag of the extension is 5', (receipt) => ['0x30', receipt], '0x58'),
  ]);
}

function header(
  name: string,
  about: string,
  change: (block: ProofFile['block']) => ProofFile['block'],
  recordedAt?: string,
): Promise<Vector> {
  return bad('header', name, about, CREATE, (file) => ({
    ...file,
    block: change(file.block),
    ...(recordedAt !== undefined && { recordedAt }),
  }));
}
