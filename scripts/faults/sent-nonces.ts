import type { Call } from '../../spec/chain/proxy.js';
import { decodeTransaction } from '../../src/wallets/transaction-bytes.js';

/**
 * Finds nonces for which the service sent transactions with different contents, in calls to the chain's node. A transaction that
 * is sent again, or at a higher price, has the same content. Returns a line for each.
 */
export function noncesSentTwice(calls: readonly Call[]): readonly string[] {
  const contents = new Map<string, string>();
  const twice = new Set<string>();
  for (const { method, params } of calls) {
    if (method !== 'eth_sendRawTransaction') continue;
    const { from, nonce, data } = decodeTransaction(String(params?.[0]));
    const key = `nonce ${nonce} of ${from}`;
    if ((contents.get(key) ?? data) !== data) twice.add(key);
    contents.set(key, data);
  }
  return [...twice].map((key) => `${key} was used for two operations`);
}
