import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { Address } from '../../store/port.js';
import { hexOf } from '../../system/chain-bytes.js';
import { pageAddress } from '../index/page-machine.js';
import type { BlockProofs } from './block-proofs.js';
import type { ProofInBlock } from './proof-file.js';

/**
 * Transactions of a block whose proofs share a page: they have the nodes above their leaves in common. Larger pages take no less
 * room.
 */
const PAGE_SIZE = 64;

/** Level of compression: higher ones take longer, and save 3 % more. */
const LEVEL = 1;

/** A page as the store keeps it: the place of its transactions in the block, and the text. */
export interface ProofPage {
  readonly number: number;
  readonly text: string;
}

/** What a page holds: this as JSON, a line feed, the header, and the nodes. */
interface Content {
  /** Lengths of the header and of the nodes, bytes. */
  readonly lengths: readonly number[];
  readonly proofs: readonly PagedProof[];
}

/** The positions of its nodes, from 1: the header is at 0. */
type PagedProof = readonly [index: number, transaction: readonly number[], receipt: readonly number[]];

const LINE_FEED = '\n';

/** The address of the page with the proof of a transaction. `chain`: a chain's name. */
export function proofPageAddress(chain: string, blockHash: Hex, page: number): Address {
  return pageAddress('proof', `${chain}/${blockHash}`, page);
}

/** The number of the page that has a transaction. */
export function pageOf(transactionIndex: number): number {
  return Math.floor(transactionIndex / PAGE_SIZE);
}

/** Writes the proofs of a block as pages. Those without a proof are left out. */
export function proofPages({ header, transactions }: BlockProofs): readonly ProofPage[] {
  const pages = new Map<number, BlockProofs['transactions'][number][]>();
  for (const proof of transactions) {
    const number = pageOf(proof.index);
    const page = pages.get(number) ?? [];
    pages.set(number, page);
    page.push(proof);
  }
  return [...pages].map(([number, proofs]) => ({ number, text: pageText(header, proofs) }));
}

/**
 * Returns the proof of a transaction in the text of a page; undefined if the page has none. Throws `Refusal('not-implemented')` for
 * a page that a build before release 0.1.0 wrote.
 */
export function proofIn(
  text: string,
  transactionIndex: number,
  block: { readonly number: number; readonly hash: Hex },
): ProofInBlock | undefined {
  const { deflated } = JSON.parse(text) as { readonly deflated: string };
  const bytes = inflateRawSync(Buffer.from(deflated, 'base64'));
  const begin = bytes.indexOf(LINE_FEED);
  if (begin < 0) {
    throw new Refusal(
      'not-implemented',
      `the stored proofs of the block ${block.number} (${block.hash}) have the form of a build before release 0.1.0, which this release does not read: record the entity again to get a proof file; POST /ledger/verify verifies the receipt`,
    );
  }
  const { lengths, proofs } = JSON.parse(bytes.subarray(0, begin).toString()) as Content;
  const found = proofs.find(([index]) => index === transactionIndex);
  if (found === undefined) return undefined;
  let end = begin + LINE_FEED.length;
  const parts = lengths.map((length) => bytes.subarray(end, (end += length)));
  const hexAt = (at: number): Hex => hexOf(parts[at]!);
  const [index, transaction, receipt] = found;
  return {
    block: { ...block, header: hexAt(0) },
    transaction: { index, proof: transaction.map(hexAt) },
    receipt: { proof: receipt.map(hexAt) },
  };
}

function pageText(header: Uint8Array, proofs: BlockProofs['transactions']): string {
  // The proofs of a trie share the objects of their nodes.
  const places = new Map([[header, 0]]);
  const placesOf = (nodes: readonly Uint8Array[]): number[] =>
    nodes.map((node) => {
      const place = places.get(node) ?? places.size;
      places.set(node, place);
      return place;
    });
  const paged = proofs.map(({ index, transaction, receipt }): PagedProof => [
    index,
    placesOf(transaction),
    placesOf(receipt),
  ]);
  const parts = [...places.keys()];
  const content: Content = { lengths: parts.map(({ length }) => length), proofs: paged };
  const bytes = Buffer.concat([Buffer.from(JSON.stringify(content) + LINE_FEED), ...parts]);
  // The blooms of receipts are mostly zeros.
  return JSON.stringify({ deflated: deflateRawSync(bytes, { level: LEVEL }).toString('base64') });
}
