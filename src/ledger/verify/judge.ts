import type { ChainReceipt, Hex } from '../../chain/port.js';
import { timestampOf } from '../../chain/timestamp-call.js';
import type { Timestamp } from '../../chain/timestamp-call.js';
import { rootOf } from '../content/merkle.js';
import type { OperationName } from '../operation.js';
import type { Hashed } from './claim.js';

/** Whether what a transaction has recorded is what was claimed, and why not. */
export interface Judgement {
  readonly verified: boolean;
  /** Where it is not: what was found instead. */
  readonly reason?: string;
  /** Where it is. The chain does not tell what makes the same record: `upsert` stands for any batch. */
  readonly operation?: OperationName;
  /** Whom the record is about, where the claim says so or the record is of the default requestor. */
  readonly entityId?: string;
  /** What had to be recorded, 32 bytes each; for a batch that the claim was found in, both are its root. */
  readonly assetId: Hex;
  readonly hash: Hex;
}

/** The arguments of a contract's event. */
export type Recorded = Pick<Timestamp, 'assetId' | 'hash'>;

/** What a transaction has recorded in the contract, at least one event; or, in words, why it has recorded nothing. */
export function recordedBy(receipt: ChainReceipt, contract: Hex): readonly Recorded[] | string {
  if (receipt.status !== '0x1') return 'the transaction was reverted: it has recorded nothing';
  const recorded = timestampOf(receipt, contract);
  if (recorded.length > 0) return recorded;
  const [other] = timestampOf(receipt, undefined);
  return other === undefined
    ? 'the transaction has recorded nothing: it has no event of the contract'
    : `the transaction has recorded nothing in the contract ${contract}: its event is of another contract, ${other.contract}`;
}

/** Whether a batch was recorded, of which a proof of the content could be kept. */
export function isBatch(recorded: readonly Recorded[] | string): boolean {
  return typeof recorded !== 'string' && recorded.some(({ assetId, hash }) => assetId === hash);
}

/** Compares content with what was recorded, or with the words that say why nothing was. */
export function judge(content: Hashed, recorded: readonly Recorded[] | string): Judgement {
  const { operation, assetId, hash } = content;
  const of = content.entityId === undefined ? {} : { entityId: content.entityId };
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

function difference(content: Hashed, recorded: readonly Recorded[]): string {
  const same = recorded.find((one) => isAbout(content, one));
  if (same !== undefined)
    return `the transaction has recorded other content: its hash is ${same.hash}, that of the given content ${content.hash}`;
  if (recorded.some(({ hash }) => hash === content.hash))
    return 'the transaction has recorded this content, but for another entity';
  const [{ assetId, hash }] = recorded as readonly [Recorded];
  if (content.operation !== 'create' || !isBatch(recorded))
    return `the transaction has recorded something else: assetId ${assetId}, hash ${hash}`;
  return content.proof === undefined
    ? 'the transaction has recorded a batch, and no proof is known of this content in it: give the proof of its receipt'
    : `the transaction has recorded a batch, and the proof does not lead from this content to its root ${hash}`;
}

function isAbout({ aboutAnybody, assetId }: Hashed, recorded: Recorded): boolean {
  return aboutAnybody || recorded.assetId === assetId;
}
