import { NodeError } from './exchange.js';
import { ChainUnavailable } from './port.js';
import type { Sent } from './port.js';

/**
 * What the words of a refusal mean, the first that fits. Nodes agree on no codes: the words are those of go-ethereum
 * and what descends from it (Quorum, Erigon), Besu, Nethermind, Reth, OpenEthereum and anvil.
 */
const MEANINGS: readonly (readonly [Sent['is'] | 'unknown', RegExp])[] = [
  [
    'sent',
    /already ?known|^known transaction|already ?imported|already exists|same hash|already in (?:the )?(?:tx|mem)?pool/,
  ],
  // Another one of that nonce waits, and stays: ours pays no more than it.
  ['nonce-used', /replacement|could ?n[o']t replace|to replace existing|same nonce/],
  ['nonce-used', /nonce (?:is )?too low|old ?nonce|nonce too small|stale nonce|nonce has already been used/],
  [
    'funds',
    /insufficient ?(?:funds|balance)|exceeds (?:[a-z]+ )*balance|(?:not enough|out of) (?:funds|balance)/,
  ],
  // Prices that move: the node names the lowest where it is a fixed one.
  ['refused', /minimum/],
  ['busy', /underpriced|fee ?too ?low|less than block base ?fee|below (?:the )?(?:current )?base ?fee/],
  [
    'busy',
    /pool (?:is |was )?(?:full|overflow)|limit (?:exceeded|reached for)|too many|rate limit|queue is full/,
  ],
  // Lower nonces have not arrived yet, at a node that keeps none behind a gap.
  [
    'busy',
    /nonce (?:is )?too (?:high|far|distant)|nonce ?gap|too distant|lower nonce|gapped|future transaction/,
  ],
  ['busy', /syncing|in sync|sync is still|pool not enabled|try again/],
  ['unknown', /internal error|timeout|timed? ?out/],
];

/**
 * What a refusal of `eth_sendRawTransaction` means for the transaction. Throws `ChainUnavailable` where the node does
 * not know itself what became of it, and what is no refusal.
 */
export function sentOf(error: unknown): Sent {
  if (!(error instanceof NodeError)) throw error;
  const text = error.message.toLowerCase();
  const meaning = MEANINGS.find(([, words]) => words.test(text))?.[0] ?? 'refused';
  if (meaning === 'unknown') {
    throw new ChainUnavailable(`The chain's node failed at a transaction: ${error.message}.`, {
      cause: error,
    });
  }
  return meaning === 'sent' ? { is: 'sent' } : { is: meaning, detail: error.message };
}
