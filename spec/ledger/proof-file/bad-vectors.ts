import { RLP } from '@ethereumjs/rlp';
import type { ProofFile } from '../../../src/library/proof.js';
import { type Hex } from '../../../src/system/chain-bytes.js';
import { badFiles } from './bad-files.js';
import { badJson } from './bad-json.js';
import { badRlp } from './bad-rlp.js';
import { badSignatures } from './bad-signatures.js';
import { ASSET, bad, CREATE, HASH, IN_20, made, node, WORD } from './bad-vector.js';
import { hashed, headerWith } from './changed-header.js';
import { CONTRACT, OTHER_CONTRACT, TOPIC } from './made-block.js';
import { madeFile, type MadeFile, type Vector } from './vectors.js';

/** Makes the vectors that are refused: at least one for each reason to refuse. */
export async function badVectors(): Promise<readonly Vector[]> {
  const inBlock = (parts: Partial<MadeFile['block']>): Promise<ProofFile> =>
    madeFile({ ...IN_20, block: { ...IN_20.block, ...parts } });
  const [usual, longer, twin, later] = await Promise.all([
    inBlock({}),
    inBlock({ size: 21 }),
    inBlock({ index: 8 }),
    inBlock({ number: 43, moreFields: 1 }),
  ]);

  const badBlocks = await Promise.all([
    made('event', 'reverted', 'the receipt says that the call was reverted', { status: 0 }),
    made('event', 'status-of-2', 'the status of the receipt is 2', { status: 2 }),
    made('event', 'event-with-four-topics', 'the event has a topic more', {
      logs: [[CONTRACT, TOPIC, ASSET, HASH, WORD]],
    }),
    made('event', 'event-of-another-contract', 'another contract emitted the event', {
      logs: [[OTHER_CONTRACT, TOPIC, ASSET, HASH]],
    }),
    made('event', 'other-event', 'an event of another name', { logs: [[CONTRACT, WORD, ASSET, HASH]] }),
    made('event', 'event-with-another-hash', 'the event has another hash', {
      logs: [[CONTRACT, TOPIC, ASSET, WORD]],
    }),
    made('event', 'event-for-another-entity', 'the event has another assetId', {
      logs: [[CONTRACT, TOPIC, WORD, HASH]],
    }),
    made('event', 'receipt-with-five-items', 'the receipt has an item more', { more: { receipt: '0x01' } }),
    made('event', 'log-with-four-items', 'the log has an item more', { more: { log: '0x01' } }),
    made('event', 'log-without-data', 'another log has two items', {
      lastLog: [OTHER_CONTRACT, []],
    }),
    made('event', 'log-with-list-as-topic', 'another log has a list as a topic', {
      lastLog: [OTHER_CONTRACT, [[]], '0x'],
    }),
    made('event', 'log-without-list', 'another log has bytes as its topics', {
      lastLog: [OTHER_CONTRACT, '0x', '0x'],
    }),
    made('event', 'no-event', 'the receipt has no event', { logs: [] }),
    bad('event', 'contract-changed', 'the file has another contract', CREATE, (file) => ({
      ...file,
      contract: OTHER_CONTRACT,
    })),
    bad(
      'event',
      'transaction-as-receipt',
      'the proof of the transaction instead of the receipt’s',
      CREATE,
      (file) => ({ ...file, receipt: { proof: file.transaction.proof } }),
    ),

    bad('receipt', 'other-index', 'the index of another transaction', IN_20, (file) => ({
      ...file,
      transaction: { ...file.transaction, index: 6 },
    })),
    bad('receipt', 'node-less', 'the root of the receipts is missing', IN_20, (file) => ({
      ...file,
      receipt: { proof: file.receipt.proof.slice(1) },
    })),
    bad('receipt', 'node-twice', 'a node is there twice', IN_20, (file) => ({
      ...file,
      receipt: { proof: [file.receipt.proof[0]!, ...file.receipt.proof] },
    })),
    bad('receipt', 'node-changed', 'a digit of a node is another one', IN_20, (file) => ({
      ...file,
      receipt: { proof: file.receipt.proof.map((node, i) => (i === 1 ? flipped(node) : node)) },
    })),
    bad('receipt', 'other-index-of-one', 'an index that the leaf does not have', CREATE, (file) => ({
      ...file,
      transaction: { ...file.transaction, index: 1 },
    })),
    bad(
      'receipt',
      'other-index-over-extension',
      'an index that differs in the digits of an extension only',
      { ...CREATE, block: { size: 300, index: 299 } },
      (file) => ({ ...file, transaction: { ...file.transaction, index: 0x22b } }),
    ),
    node('leaf-too-short', 'the leaf has less than the rest of the path', (receipt) => ['0x38', receipt]),
    node('extension-as-leaf', 'the last node is an extension', (receipt) => ['0x0080', receipt]),
    node('node-of-three', 'the leaf has three items', (receipt) => ['0x2080', WORD, receipt]),
    node('path-with-padding', 'the padding of the path is not zero', (receipt) => ['0x2180', receipt]),
    node('path-with-another-flag', 'the flag of the path is 6', (receipt) => ['0x6080', receipt]),
    bad('receipt', 'receipt-of-another-index', 'the receipt of the next transaction', IN_20, (file) => ({
      ...file,
      receipt: twin.receipt,
    })),

    bad('header', 'header-changed', 'a digit of the header is another one', IN_20, (file) => ({
      ...file,
      block: { ...file.block, header: flipped(file.block.header) },
    })),
    bad('header', 'block-hash-changed', 'another hash of the block', IN_20, (file) => ({
      ...file,
      block: { ...file.block, hash: WORD },
    })),
    bad('header', 'block-number-changed', 'another number of the block', IN_20, (file) => ({
      ...file,
      block: { ...file.block, number: 41 },
    })),
    bad('header', 'number-with-zeros', 'the number in the header has a zero in front', {
      ...CREATE,
      block: { numberField: '0x002a' },
    }),
    bad('header', 'date-that-is-none', 'a date that does not exist', CREATE, (file) => ({
      ...file,
      recordedAt: '2026-02-30T00:00:00.000Z',
    })),
    bad('header', 'longer-encoding', 'another item of the header has a longer encoding', CREATE, (file) => ({
      ...file,
      // Item 2 with the length of its length.
      block: headerWith(file.block, 2, Uint8Array.of(0xb8, 20, ...new Uint8Array(20))),
    })),
    bad('header', 'time-changed', 'a second earlier than in the header', IN_20, (file) => ({
      ...file,
      recordedAt: '2025-12-31T23:59:59.000Z',
    })),
    bad('header', 'other-block', 'the header of another block', IN_20, (file) => ({
      ...file,
      block: { ...later.block, header: later.block.header },
      receipt: twin.receipt,
      transaction: { ...file.transaction, index: 8 },
    })),
    bad('header', 'short-header', 'a header of 14 fields', CREATE, (file) => ({
      ...file,
      block: shortened(file.block),
    })),

    bad('transaction', 'transaction-of-another-index', 'the transaction is the next one of its trie', {
      ...IN_20,
      block: { ...IN_20.block, transactionAt: 8 },
    }),
    bad(
      'transaction',
      'transaction-of-another-node',
      'the last node has a call that the node before it does not name',
      { ...IN_20, record: { data: '0x' } },
      (file) => ({
        ...file,
        transaction: {
          ...file.transaction,
          proof: [...file.transaction.proof.slice(0, -1), usual.transaction.proof.at(-1)!],
        },
      }),
    ),
    bad(
      'transaction',
      'receipt-as-transaction',
      'the proof of the receipt instead of the transaction’s',
      CREATE,
      (file) => ({ ...file, transaction: { index: 0, proof: file.receipt.proof } }),
    ),
    bad('transaction', 'chain-changed', 'the file says another chain', CREATE, (file) => ({
      ...file,
      chainId: 1,
    })),
    bad('transaction', 'transaction-of-another-block', 'the same index in another block', IN_20, (file) => ({
      ...file,
      transaction: longer.transaction,
    })),
    made('transaction', 'transaction-with-more-items', 'the transaction has an item more', {
      type: 2,
      more: { transaction: '0x01' },
    }),
    made('transaction', 'for-every-chain', 'a transaction that is signed for no chain', { anyChain: true }),
    made(
      'transaction',
      'call-of-another-contract',
      'the transaction calls a contract that calls the contract',
      { to: OTHER_CONTRACT },
    ),
    made(
      'transaction',
      'other-call',
      'the signer has signed another call, and the contract emitted the event all the same',
      { data: '0x' },
    ),
    made(
      'transaction',
      'call-of-another-name',
      'the signer has called another function with these arguments',
      {
        data: `0xb97da33c${ASSET.slice(2)}${HASH.slice(2)}`,
      },
    ),
    made('transaction', 'longer-call', 'the data of the call have a byte more', {
      data: `0xb97da33b${ASSET.slice(2)}${HASH.slice(2)}00`,
    }),
    made('transaction', 'legacy-with-type', 'a legacy transaction and its receipt have the type byte 0', {
      typeByte: 0,
    }),
    made('transaction', 'receipt-of-another-type', 'transaction and receipt have different types', {
      receiptType: 2,
    }),

    made('transaction', 'unknown-type', 'transaction and receipt have the type 5', {
      type: 2,
      typeByte: 5,
    }),
    made('transaction', 'large-type', 'transaction and receipt have the type 0x85', {
      type: 2,
      typeByte: 0x85,
    }),
    made('transaction', 'v-as-list', 'v is a list', { type: 2, v: [] }),
    made('transaction', 'v-with-zero', 'v has a zero in front', { type: 2, v: '0x0001' }),

    made('signature', 'parity-of-2', 'v is 2', { type: 2, v: 2n }),
    bad('signature', 'signer-changed', 'the file says another signer', CREATE, (file) => ({
      ...file,
      from: CONTRACT,
    })),
    made('signature', 'high-s', 'the signature has the higher one of its two values', {
      type: 2,
      highS: true,
    }),

    bad(
      'expected',
      'other-block-hash-expected',
      'the reader knows another hash of the block',
      CREATE,
      undefined,
      { expected: { blockHash: WORD } },
    ),
    bad('expected', 'other-contract-expected', 'the reader knows another contract', CREATE, undefined, {
      expected: { contract: OTHER_CONTRACT },
    }),
    bad('expected', 'other-signer-expected', 'the reader knows another signer', CREATE, undefined, {
      expected: { contract: CONTRACT, from: OTHER_CONTRACT },
    }),
  ]);
  const others = [badJson(), badRlp(), badSignatures()];
  return [...(await badFiles()), ...badBlocks, ...(await Promise.all(others)).flat()];
}

/** Changes the last digit of bytes. */
function flipped(hex: Hex): Hex {
  return `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}` as Hex;
}

function shortened(block: ProofFile['block']): ProofFile['block'] {
  return hashed(block, RLP.encode((RLP.decode(block.header) as Uint8Array[]).slice(0, 14)));
}
