import { NodeError } from './exchange.js';
import type { NodeRefusal, Sent, UnknownCause } from './port.js';

/**
 * The texts of refusals, in lower case, each from its beginning: a text that only quotes one comes from a gateway, which
 * may have passed the transaction on to several nodes. Nodes do not agree on error codes. The texts are those of
 * go-ethereum, Quorum, Erigon, Besu, Nethermind, Reth, OpenEthereum and anvil; spec/chain/send-answer.spec.ts has them all.
 */
const REFUSALS: readonly (readonly [NodeRefusal, RegExp])[] = [
  [
    'funds',
    beginning(
      /insufficient funds for (?:gas \* price(?: \+ value)?|transfer)/,
      /insufficient funds\. the account you tried to send transaction from does not have enough funds/,
      // All that Erigon says.
      /insufficient funds$/,
      /insufficientfunds/,
      /upfront cost exceeds account balance/,
      /transaction up-?front cost \S+ exceeds (?:transaction )?sender account balance/,
      /sender does not have enough funds/,
    ),
  ],
  [
    'gas',
    beginning(
      /intrinsic gas too low/,
      /intrinsicgas/,
      /intrinsic gas exceeds gas limit/,
      /intrinsic gas cost \d+ exceeds gas limit/,
      /insufficient gas for floor data gas cost/,
      /transaction gas is too low\. there is not enough gas to cover minimal cost/,
    ),
  ],
  [
    'gas-limit',
    beginning(
      /exceeds block gas limit/,
      /transaction gas limit exceeds block gas limit/,
      /transaction(?:'s)? gas limit \d+ exceeds block(?:'s)? gas limit/,
      /transaction cost exceeds current gas limit\. limit:/,
      /intrinsic gas too high -- tx\.gas_limit > env\.block\.gas_limit/,
      /gaslimitexceeded/,
      /gas limit reached/,
      // EIP-7825 limits the gas of one transaction as well.
      /transaction gas limit too high \(cap:/,
      /gas limit is too high/,
    ),
  ],
  [
    'chain-id',
    beginning(
      /(?:invalid sender: )?invalid chain id/,
      /wrong chain ?id/,
      /transaction's chain id does not match/,
      /transaction was meant for chain id \S+ and not this chain/,
    ),
  ],
  [
    'signature',
    beginning(
      /invalid sender/,
      /invalid (?:transaction )?signature/,
      /invalid transaction v, r, s values/,
      /failedtoresolvesender/,
      /failed to recover sender/,
    ),
  ],
];

const NONCE_USED = /nonce (?:is )?too low|old ?nonce|nonce too small|stale nonce|nonce has already been used/;

const KNOWN =
  /already ?known|^known transaction|already ?imported|same hash|(?:transaction|tx) already exists?|already in (?:the )?(?:tx|mem)?pool/;

/** Causes that other answers name, in order: the first that fits is taken. */
const CAUSES: readonly (readonly [UnknownCause, RegExp])[] = [
  ['replaced', /replacement|could ?n[o']t replace|to replace existing|same nonce/],
  [
    'gap',
    /nonce (?:is )?too (?:high|far|distant)|nonce ?gap|too distant|lower nonce|gapped|future transaction/,
  ],
  [
    'price',
    /underpriced|fee ?too ?low|less than block base ?fee|below (?:the )?(?:current )?base ?fee|minimum|gas price (?:is )?(?:too low|less than)/,
  ],
  [
    'busy',
    /pool (?:is |was )?(?:full|overflow)|too many|rate.?limit|queue is full|limit (?:exceeded|reached for)/,
  ],
  ['busy', /syncing|in sync|sync is still|pool not enabled|try again/],
];

/** The code of EIP-1474 for a request above a limit. */
const LIMIT_EXCEEDED = -32_005;

/** Returns the meaning of a result of `eth_sendRawTransaction`: a hash means that the node has the transaction. */
export function acceptedOf(result: unknown): Sent {
  if (typeof result === 'string' && /^0x[\da-f]{64}$/i.test(result)) return { is: 'sent', known: false };
  return { is: 'unknown', why: 'error', detail: 'the node answers without the hash of the transaction' };
}

/**
 * Returns the meaning of an error of `eth_sendRawTransaction`. Rethrows an error that is not a `NodeError`: a lost connection or
 * a timeout.
 */
export function sentOf(error: unknown): Sent {
  if (!(error instanceof NodeError)) throw error;
  const { message: detail, code, isCertain } = error;
  const text = detail.toLowerCase().replace(/^internal_error: /, '');
  if (KNOWN.test(text)) return { is: 'sent', known: true };
  const reason = REFUSALS.find(([, words]) => words.test(text))?.[0];
  if (reason !== undefined && isCertain) return { is: 'refused', reason, detail };
  if (NONCE_USED.test(text)) return { is: 'nonce-used', detail };
  const why = CAUSES.find(([, words]) => words.test(text))?.[0];
  return { is: 'unknown', why: why ?? (code === LIMIT_EXCEEDED ? 'busy' : 'error'), detail };
}

/** One of the texts, from the beginning of a message and up to the end of a word. */
function beginning(...texts: readonly RegExp[]): RegExp {
  return new RegExp(`^(?:${texts.map(({ source }) => source).join('|')})(?![\\w-])`);
}
