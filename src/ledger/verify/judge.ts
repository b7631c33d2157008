import type { ChainReceipt, Hex } from '../../chain/port.js';
import { type Timestamp, timestampOf } from '../../chain/timestamp-call.js';
import { rootOf } from '../content/merkle.js';
import type { Judgement } from '../shapes.js';
import type { MinedTransaction } from '../signed-transaction.js';
import type { Hashed } from './claim.js';

/** The arguments of an event of the contract. */
export type ContractRecord = Pick<Timestamp, 'assetId' | 'hash'>;

/** Returns the records of a transaction in the contract, at least one; else a sentence that says why it has none. */
export function recordsIn(receipt: ChainReceipt, contract: Hex): readonly ContractRecord[] | string {
  if (receipt.status !== '0x1') return 'the transaction was reverted: it has recorded nothing';
  const recorded = timestampOf(receipt, contract);
  if (recorded.length > 0) return recorded;
  const [other] = timestampOf(receipt, undefined);
  return other === undefined
    ? `the transaction has recorded nothing: it has no event of the contract ${contract}`
    : `the transaction has recorded nothing in the contract ${contract}: its event is of another contract, ${other.contract}`;
}

/**
 * Returns why a transaction in a block has not recorded its operation, as a sentence; undefined if it has: the contract
 * that it called has emitted the event of this operation. The status of the chain does not tell: a call of an address
 * without code succeeds.
 */
export function faultOf({ receipt, signed }: MinedTransaction): string | undefined {
  const { assetId, hash } = signed.operation;
  const recorded = recordsIn(receipt, receipt.to ?? '0x');
  if (typeof recorded === 'string') return recorded;
  if (recorded.some((one) => one.assetId === assetId && one.hash === hash)) return undefined;
  return 'the transaction has recorded something else: its event of the contract has another assetId or hash';
}

/** True if one of the records is the root of a batch. */
export function isBatch(recorded: readonly ContractRecord[] | string): boolean {
  return typeof recorded !== 'string' && recorded.some(({ assetId, hash }) => assetId === hash);
}

/** Compares content with the records of a transaction, or with the sentence that says why it has none. */
export function judge(content: Hashed, recorded: readonly ContractRecord[] | string): Judgement {
  const { operation, assetId, hash } = content;
  const of = {
    ...(content.entityId !== undefined && { entityId: content.entityId }),
    contentHash: hash,
  };
  if (typeof recorded === 'string') return { verified: false, reason: recorded, ...of, assetId, hash };
  const alone = recorded.find((one) => one.hash === hash && isAbout(content, one));
  if (alone !== undefined) return { verified: true, operation, ...of, assetId: alone.assetId, hash };
  if (operation === 'create') {
    const root = rootOf(hash, content.proof ?? []);
    if (recorded.some((one) => one.hash === root && one.assetId === root))
      return { verified: true, operation: 'upsert', ...of, assetId: root, hash: root };
  }
  return { verified: false, reason: difference(content, recorded), ...of, assetId, hash };
}

function difference(content: Hashed, recorded: readonly ContractRecord[]): string {
  const same = recorded.find((one) => isAbout(content, one));
  if (same !== undefined)
    return `the transaction has recorded other content: its hash is ${same.hash}, that of the given content ${content.hash}`;
  if (recorded.some(({ hash }) => hash === content.hash))
    return 'the transaction has recorded this content, but for another entity';
  const [{ assetId, hash }] = recorded as readonly [ContractRecord];
  if (content.operation !== 'create' || !isBatch(recorded))
    return `the transaction has recorded something else: assetId ${assetId}, hash ${hash}`;
  return content.proof === undefined
    ? 'the transaction has recorded a batch, and no proof is known of this content in it: ' +
        'no entry is exactly this, or the proof of its receipt has to be given with it'
    : `the transaction has recorded a batch, and the proof does not lead from this content to its root ${hash}`;
}

function isAbout({ entityId, assetId }: Hashed, recorded: ContractRecord): boolean {
  return entityId === undefined || recorded.assetId === assetId;
}
