/**
 * The ledger as its readers see it: the answers of `/console/api/ledger`, and what other answers have of it. Times are
 * ISO 8601, UTC. Lists are newest first. Positions count from 0 in the order of recording, and never change: a page ends
 * with `next`, the value of `before` for the page after it, null on the last.
 */

/** Hexadecimal digits after `0x`. */
type Hex = `0x${string}`;

/** L1 to L5, and notifications of brokers. */
export type OperationName = 'create' | 'update' | 'query' | 'retrieve' | 'upsert' | 'replace' | 'notify';

/**
 * GET /console/api/ledger/operations: the notifications of brokers that were accepted and are not recorded, newest first.
 */
export interface AcceptedView {
  /** How many there are, on all pages. */
  readonly pending: number;
  readonly failed: number;
  readonly operations: readonly AcceptedRowView[];
  /** `before` of the next page; null on the last. */
  readonly next: string | null;
}

/** An accepted operation that is not recorded. */
export interface AcceptedRowView {
  /** Its id. */
  readonly operation: string;
  readonly state: 'pending' | 'failed';
  /** The id of the notification, and of the subscription at the broker. */
  readonly notificationId: string;
  readonly subscriptionId: string;
  /** Number of its entities. */
  readonly entities: number;
  readonly tenant: string | null;
  /** When it was accepted. */
  readonly since: string;
  /** Failed tries. */
  readonly tries: number;
  /** Why the last try failed; null if none has. */
  readonly detail: string | null;
}

/** The chain and the size of the ledger. */
export interface LedgerView {
  /** The chain's id; null while its node was never there. */
  readonly chain: string | null;
  readonly contract: Hex | null;
  /** Number of the newest block; null before the first. */
  readonly head: number | null;
  /** Why the node is down; null if it is up. */
  readonly down: string | null;
  /** LEDGER_CONFIRMATIONS and LEDGER_FINALITY, blocks. */
  readonly confirmations: number;
  readonly finality: number;
  /** Number of entities that have transactions. */
  readonly entities: number;
}

/** GET /console/api/ledger/entities */
export interface EntitiesView {
  readonly entities: readonly EntityRowView[];
  readonly next: number | null;
}

/** An entity in the list. */
export interface EntityRowView {
  readonly entityId: string;
  /** Number of its transactions. This and `last` are null for one tenant, since they count other tenants' too. */
  readonly transactions: number | null;
  readonly last: {
    readonly operation: OperationName;
    readonly transactionHash: string;
    /** False if it is in a block and has recorded nothing. */
    readonly ok: boolean;
    readonly at: string;
  } | null;
}

/** GET /console/api/ledger/entities/{id}: the transactions of an entity. */
export interface EntityView {
  readonly entityId: string;
  readonly transactions: readonly TransactionRowView[];
  readonly next: number | null;
}

/** `failed`: it is in a block and has recorded nothing. `refused`: the chain never takes it. */
export type TransactionState = 'sending' | 'recorded' | 'failed' | 'refused';

/** A transaction in a list. */
export interface TransactionRowView {
  /** Of the signature that is in a block; else of the first. */
  readonly transactionHash: Hex;
  readonly operation: OperationName;
  readonly state: TransactionState;
  readonly account: Hex;
  readonly blockNumber: number | null;
  /** When the service had the receipt. */
  readonly recordedAt: string | null;
  /** The entity's place in a batch. */
  readonly batch: { readonly index: number; readonly count: number } | null;
}

/** A transaction with its receipt. */
export interface ReceiptView extends TransactionRowView {
  readonly entityId: string | null;
  readonly tenant: string | null;
  readonly assetId: Hex;
  readonly hash: Hex;
  readonly block: BlockView | null;
  /** Why the chain refused it. */
  readonly refusal: string | null;
  /** Why it has recorded nothing, although it is in a block. */
  readonly fault: string | null;
  /** Each member of the receipt with its meaning. Empty without a receipt. */
  readonly fields: readonly ReceiptFieldView[];
  /** The receipt, without the entries of a batch; null if it has none yet. */
  readonly receipt: Readonly<Record<string, unknown>> | null;
  /** Earlier and later signatures of the same nonce. */
  readonly signatures: readonly Hex[];
  /** The transaction's page in the block explorer of EXPLORER_URL; null without one. */
  readonly explorer: string | null;
}

/** The block of a transaction. */
export interface BlockView {
  readonly number: number;
  readonly hash: Hex;
  /** null if the node does not answer. */
  readonly time: string | null;
  /** The block's own counted; null if the node does not answer. */
  readonly confirmations: number | null;
  /** LEDGER_FINALITY: the number of confirmations from which on the block is final. */
  readonly finality: number;
  readonly final: boolean;
}

/** A member of a receipt. */
export interface ReceiptFieldView {
  readonly name: string;
  /** The value as text: JSON unless it is a text already. */
  readonly value: string;
  readonly meaning: string;
}

/** GET /console/api/ledger/receipts/{hash}/entries: a page of the entries of a batch, or those with the id `entity`. */
export interface BatchEntriesView {
  readonly entries: readonly { readonly index: number; readonly entityId: string; readonly hash: Hex }[];
  readonly count: number;
  /** Index of the first entry of the next page; null on the last page. */
  readonly next: number | null;
}

/** The way from an entry of a batch to the root on the chain. */
export interface ProofView {
  readonly entityId: string;
  readonly index: number;
  readonly count: number;
  /** Hash of the entity's canonical content. */
  readonly hash: Hex;
  /** keccak256(keccak256(hash)). */
  readonly leaf: Hex;
  /** From the leaf upwards. `node` = keccak256(left ‖ right); the smaller hash is the left one. */
  readonly steps: readonly {
    readonly left: Hex;
    readonly right: Hex;
    readonly sibling: Hex;
    readonly node: Hex;
  }[];
  readonly root: Hex;
  /** The root in the contract's event; null while the transaction is in no block. */
  readonly recordedRoot: Hex | null;
}

/**
 * What proves the content of one entity in one operation under the hash of a block, and nothing else (docs/proofs.md). Bytes
 * are in hexadecimal digits of lower case.
 */
export interface ProofFile {
  readonly mirzamProof: 1;
  readonly chainId: number;
  readonly operation: OperationName;
  readonly entityId: string;
  /** keccak-256 of the canonical content. */
  readonly hash: Hex;
  /** The first argument of the contract's event: the hash of the entity's id; of a batch its root. */
  readonly assetId: Hex;
  /** The signer. */
  readonly from: Hex;
  readonly contract: Hex;
  /** The time of the header, ISO 8601 UTC. */
  readonly recordedAt: string;
  /** Of batches: the hashes from the entity up to the root. */
  readonly batch?: { readonly proof: readonly Hex[] };
  /** `header`: RLP as the chain hashes it. */
  readonly block: { readonly number: number; readonly hash: Hex; readonly header: Hex };
  /** Nodes from the root of each trie to the leaf. */
  readonly transaction: { readonly index: number; readonly proof: readonly Hex[] };
  readonly receipt: { readonly proof: readonly Hex[] };
}

/**
 * GET /console/api/ledger/receipts/{hash}/proof?entity=&hash=: the proof file of an entity, and the hashes on its way to the
 * block.
 */
export interface BlockProofView {
  readonly file: ProofFile;
  readonly transactionHash: Hex;
  /** Of a batch: the ends of the entity's way in its tree. */
  readonly batch: { readonly leaf: Hex; readonly root: Hex } | null;
  /** Hashes of the nodes of the tries, from the root in the header to the leaf. */
  readonly receiptNodes: readonly Hex[];
  readonly transactionNodes: readonly Hex[];
}

/** The result of comparing a claim with the chain. */
export interface Judgement {
  readonly verified: boolean;
  /** The fault that was found; absent if `verified`. */
  readonly reason?: string;
  /** Present if `verified`. The chain cannot tell operations with the same record apart: `upsert` is any batch. */
  readonly operation?: OperationName;
  /** The entity of the record, if the claim names it. */
  readonly entityId?: string;
  /** Hash of the canonical form of the given content; absent if the claim is of `entities`. */
  readonly contentHash?: Hex;
  /** The expected record, 32 bytes each; both are the root of the batch that holds the content. */
  readonly assetId: Hex;
  readonly hash: Hex;
  /** One for each of the claim's `entities`, in their order. */
  readonly entries?: readonly EntryJudgement[];
}

/** The result of comparing one of several entities with the chain. */
export interface EntryJudgement {
  readonly entityId: string;
  /** Hash of the canonical form of the given entity. */
  readonly contentHash: Hex;
  readonly verified: boolean;
  /** The fault that was found; absent if `verified`. */
  readonly reason?: string;
}

/** The answer to a claim (docs/ledger-api.md, "Verify"). */
export interface Verdict extends Judgement {
  /** The account that signed the transaction. */
  readonly from: Hex;
  /** This and the two below are null while the transaction is in no block of the chain. */
  readonly blockNumber: number | null;
  readonly blockHash: Hex | null;
  /** The block's time. */
  readonly recordedAt: string | null;
}

/** A verdict, and what was examined for it. */
export interface RecordVerdict extends Verdict {
  readonly transactionHash: Hex;
  readonly contract: Hex;
  /** True if the contract is the one that the transaction calls, and nobody named another. */
  readonly contractFromTransaction: boolean;
}

/** An pending nonce as operators see it. */
export interface ExplainedNonce {
  readonly nonce: number;
  /** Hash of the first signature. */
  readonly transactionHash: Hex;
  /** Hashes of the later signatures, oldest first. */
  readonly replacements: readonly Hex[];
  /** When this node began to send it; null if it does not send it. */
  readonly since: string | null;
  /** How often this node sent it. */
  readonly attempts: number;
  /** One sentence. */
  readonly why: string;
}
