import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Hex } from '../../chain/port.js';
import type { Address } from '../../store/port.js';
import { hexOf } from '../../system/chain-bytes.js';
import { pageAddress } from '../index/page-machine.js';
import type { BlockProofs } from './block-proofs.js';
import type { ProofInBlock } from './proof-file.js';

/**
 * Transactions of a block whose proofs share a page: they have the nodes above their leaves in common. Their indexes differ in
 * the last digit.
 */
const PAGE_SIZE = 16;

/** Level of compression: higher ones take twice the time, and save 3 % more. */
const LEVEL = 3;

/** A page as the store keeps it: the place of its transactions in the block, and the text. */
export interface ProofPage {
  readonly number: number;
  readonly text: string;
}

/** What a page holds. Nodes are in hexadecimal digits; a proof names them by their positions. */
interface Content {
  readonly header: Hex;
  readonly nodes: readonly Hex[];
  readonly proofs: readonly PagedProof[];
}

type PagedProof = readonly [
  transactionHash: Hex,
  index: number,
  transaction: readonly number[],
  receipt: readonly number[],
];

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
    pages.set(number, [...(pages.get(number) ?? []), proof]);
  }
  return [...pages].map(([number, proofs]) => ({ number, text: pageText(header, proofs) }));
}

/**
 * Returns the proof of a transaction in the text of a page; undefined if the page has none.
 */
export function proofIn(
  text: string,
  transactionHash: Hex,
  block: { readonly number: number; readonly hash: Hex },
): ProofInBlock | undefined {
  const { deflated } = JSON.parse(text) as { readonly deflated: string };
  const { header, nodes, proofs } = JSON.parse(
    inflateRawSync(Buffer.from(deflated, 'base64')).toString(),
  ) as Content;
  const found = proofs.find(([hash]) => hash === transactionHash);
  if (found === undefined) return undefined;
  const [, index, transaction, receipt] = found;
  return {
    block: { ...block, header },
    transaction: { index, proof: transaction.map((at) => nodes[at]!) },
    receipt: { proof: receipt.map((at) => nodes[at]!) },
  };
}

function pageText(header: Uint8Array, proofs: BlockProofs['transactions']): string {
  const places = new Map<Uint8Array, number>();
  // The proofs of a trie share the objects of their nodes.
  const placesOf = (nodes: readonly Uint8Array[]): number[] =>
    nodes.map((node) => {
      const place = places.get(node) ?? places.size;
      places.set(node, place);
      return place;
    });
  const paged = proofs.map(({ hash, index, transaction, receipt }): PagedProof => [
    hash,
    index,
    placesOf(transaction),
    placesOf(receipt),
  ]);
  const content: Content = { header: hexOf(header), nodes: [...places.keys()].map(hexOf), proofs: paged };
  // The digits, and the zeros of the receipts' blooms, take a third of their room then.
  return JSON.stringify({
    deflated: deflateRawSync(JSON.stringify(content), { level: LEVEL }).toString('base64'),
  });
}
