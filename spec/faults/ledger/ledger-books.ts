import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { request } from '../../e2e/api-client.js';

/** An operation that a client sent, and its outcome. */
export interface Asked {
  readonly entityId: string;
  readonly body: object;
  readonly wallet: Readonly<Record<string, string>>;
  /** Its Idempotency-Key. */
  readonly key: string | undefined;
  /** Hash in the receipt. undefined until the answer. */
  transactionHash: Hex | undefined;
}

/** Sends an operation. An interrupted one stays open. Returns the status, 0 without an answer, and the answer's text. */
export async function ask(
  url: string,
  asked: Asked,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    ...asked.wallet,
    ...(asked.key === undefined ? {} : { 'idempotency-key': asked.key }),
  };
  const answer = await request(`${url}/ngsi-ld/v1/entities/`, 'POST', asked.body, headers).catch(
    () => undefined,
  );
  if (answer?.status === 200) {
    const { transactionHash } = answer.body as unknown as { transactionHash: Hex };
    if (asked.transactionHash !== undefined) expect(transactionHash).to.equal(asked.transactionHash);
    asked.transactionHash = transactionHash;
  }
  return { status: answer?.status ?? 0, text: JSON.stringify(answer?.body) };
}

/** A transaction of the contract on the chain. */
interface OnChain {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
}

/** Calls the chain's node. */
export async function rpc(chainUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(chainUrl, { method: 'POST', headers, body });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Returns all transactions of the chain in the order of its blocks. */
async function transactionsOf(chainUrl: string): Promise<OnChain[]> {
  const head = Number(await rpc(chainUrl, 'eth_blockNumber', []));
  const found: OnChain[] = [];
  for (let number = 0; number <= head; number += 1) {
    const block = (await rpc(chainUrl, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, true])) as {
      transactions: { hash: Hex; from: Hex; nonce: Hex }[];
    };
    found.push(...block.transactions.map(({ hash, from, nonce }) => ({ hash, from, nonce: Number(nonce) })));
  }
  return found;
}

/** Returns the nonces of an account's transactions on the chain, ascending. */
export async function noncesOf(chainUrl: string, account: Hex): Promise<number[]> {
  return noncesIn(await transactionsOf(chainUrl), account);
}

function noncesIn(onChain: readonly OnChain[], account: Hex): number[] {
  const own = onChain.filter(({ from }) => from === account);
  return own.map(({ nonce }) => nonce).toSorted((a, b) => a - b);
}

/** Returns the hashes that the service lists for an entity. */
export async function listed(url: string, entityId: string): Promise<readonly Hex[]> {
  const { status, body } = await request(`${url}/entity/${encodeURIComponent(entityId)}`, 'GET');
  if (status === 404) return [];
  expect(status).to.equal(200);
  const { txDetails } = body as unknown as { txDetails: { transactionHash: Hex }[] };
  return txDetails.map(({ transactionHash }) => transactionHash);
}

/**
 * Compares the clients' knowledge with the service's lists and the chain: an answered operation is listed once and on the
 * chain once, a key has one transaction, and the nonces of each account have no gap.
 */
export async function audit(
  url: string,
  chainUrl: string,
  all: readonly Asked[],
  accounts: readonly Hex[],
): Promise<{ answered: number; transactions: number }> {
  const onChain = await transactionsOf(chainUrl);
  const mined = new Set(onChain.map(({ hash }) => hash));
  for (const { entityId, transactionHash, key } of all) {
    const hashes = await listed(url, entityId);
    expect(new Set(hashes).size, `${entityId} is listed twice`).to.equal(hashes.length);
    for (const hash of hashes)
      expect(mined.has(hash), `${hash} is listed and not on the chain`).to.equal(true);
    if (transactionHash !== undefined) expect(hashes, entityId).to.include(transactionHash);
    if (key !== undefined) expect(hashes, `${entityId}, with a key`).to.have.length(1);
    expect(hashes.length, `${entityId} was asked for once`).to.be.at.most(1);
  }
  for (const account of accounts) {
    const nonces = noncesIn(onChain, account);
    expect(nonces, account).to.deep.equal(nonces.map((_, i) => i));
  }
  const answered = all.filter(({ transactionHash }) => transactionHash !== undefined).length;
  return { answered, transactions: onChain.filter(({ from }) => accounts.includes(from)).length };
}
