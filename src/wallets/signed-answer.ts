import { Refusal } from '../errors.js';
import { fieldOf } from '../untrusted/json.js';
import {
  type DecodedTransaction,
  type Difference,
  NoTransaction,
  decodeTransaction,
  differenceOf,
} from './transaction-bytes.js';
import type { LegacyTransaction, SigningResult, UnsignedTransaction } from './port.js';
import type { VaultAnswer } from './vault-answer.js';

/** Maximum number of hexadecimal digits of a signed transaction without its data. */
const LONGEST_REST = 1_000;

/** The address in the answer to reading an account. Throws `Refusal('bad-gateway')` for an answer without one. */
export function addressIn({ body }: VaultAnswer): UnsignedTransaction['from'] {
  const address = fieldOf(body, 'data', 'address');
  if (typeof address !== 'string' || !/^0x[0-9a-f]{40}$/i.test(address)) {
    throw meaningless('it holds no address of an account');
  }
  return address.toLowerCase() as UnsignedTransaction['from'];
}

/**
 * The signed transaction in an answer. Throws `Refusal('bad-gateway')` if it is not the transaction that was to be signed,
 * or if there is none.
 */
export function signedIn({ body }: VaultAnswer, asked: LegacyTransaction): SigningResult {
  const raw = fieldOf(body, 'data', 'signed_transaction');
  if (typeof raw !== 'string') throw meaningless('it holds no signed transaction');
  if (raw.length > asked.data.length + LONGEST_REST) throw meaningless('its signed transaction is too long');
  const signed = decoded(raw);
  const difference = differenceOf(asked, signed);
  if (difference !== undefined) throw meaningless(`it signed with another ${described(difference, asked)}`);
  return { raw: signed.raw, hash: signed.hash };
}

/** Decodes a signed transaction. Throws `Refusal('bad-gateway')` for anything else. */
export function decoded(raw: string): DecodedTransaction {
  try {
    return decodeTransaction(raw);
  } catch (error) {
    if (error instanceof NoTransaction) throw meaningless(`its signed transaction ${error.message}`);
    throw error;
  }
}

function described(difference: Difference, { chainId, gasPrice }: LegacyTransaction): string {
  if (difference === 'chain id')
    return `chain id than ${chainId}: the engine’s own chain_id must be ${chainId}`;
  if (difference === 'gas price' && gasPrice === 0n) {
    return 'gas price than 0: vault-ethereum then takes the price of its own node (rpc_url), which must be 0, and ethsign does not';
  }
  return `${difference} than it was asked to`;
}

/** The refusal for an answer of status 200 that is not what was asked for. */
export function meaningless(what: string): Refusal {
  return new Refusal('bad-gateway', `the wallet’s answer is invalid: ${what}; nothing was sent to the chain`);
}
