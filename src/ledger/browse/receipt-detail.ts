import type { LateChain } from '../../chain/late-chain.js';
import { type ChainReceipt, ChainUnavailable, type Hex } from '../../chain/port.js';
import { timestampOf } from '../../chain/timestamp-call.js';
import { stepsOf } from '../content/merkle.js';
import { entriesOf } from '../index/batch-pages.js';
import { BATCH_PAGE } from '../operation.js';
import { loadBySignature } from '../transaction/transaction-kind.js';
import { receiptOf } from '../receipts/receipt.js';
import type { ReaderOptions } from '../receipts/receipt-reader.js';
import { faultOf } from '../verify/judge.js';
import type { SignedTransaction } from '../signed-transaction.js';
import type { TransactionContext } from '../transaction/transaction-machine.js';
import { explainedFields } from './receipt-fields.js';
import type {
  BatchEntriesView,
  BlockView,
  ProofView,
  ReceiptView,
  TransactionRowView,
  TransactionState,
} from '../shapes.js';
import { isoOf } from '../../system/iso.js';

/** Reads one transaction. Each method returns undefined for an unknown one, or one that is not the tenant's. */
export type ReceiptDetails = ReturnType<typeof createReceiptDetails>;

export interface BrowseOptions extends ReaderOptions {
  readonly chain: LateChain;
  readonly settings: { readonly confirmations: number; readonly finality: number };
  /** Address of a transaction in a block explorer, with `{hash}`. */
  readonly explorerUrl: string | undefined;
}

/** Entries with one id that are shown. */
const SAME_ID_MAX = 50;

/** Makes the reader. */
export function createReceiptDetails({ store, chain, batchPages, settings, explorerUrl }: BrowseOptions) {
  const find = async (hash: Hex, tenant: string | undefined) => {
    const context = await loadBySignature(store, { chain: chain.name, hash });
    const signed = context?.signed;
    if (signed === undefined || (tenant !== undefined && signed.operation.tenant !== tenant))
      return undefined;
    return { context: context!, signed };
  };

  const batchOf = async (hash: Hex, tenant: string | undefined) => {
    const known = await find(hash, tenant);
    const listed = known?.signed.operation.listed;
    return listed === undefined || 'entityId' in listed ? undefined : { ...known!, listed };
  };

  return {
    async receipt(hash: Hex, tenant: string | undefined): Promise<ReceiptView | undefined> {
      const known = await find(hash, tenant);
      if (known === undefined) return undefined;
      const { context, signed } = known;
      const { receipt } = context;
      const { operation } = signed;
      const shown = receipt && receiptOf({ signed, receipt });
      const row = rowOf(context, signed, undefined);
      return {
        ...row,
        entityId: 'entityId' in operation.listed ? operation.listed.entityId : null,
        tenant: operation.tenantName ?? operation.tenant ?? null,
        assetId: operation.assetId,
        hash: operation.hash,
        block: receipt === undefined ? null : await blockOf(chain, receipt, settings.finality),
        refusal: context.refusal?.detail ?? null,
        fault: (receipt && faultOf({ signed, receipt })) ?? null,
        fields: shown === undefined ? [] : explainedFields(shown),
        receipt: shown ?? null,
        signatures: [signed.hash, ...context.replacements.map((one) => one.hash)],
        explorer: explorerUrl?.replace('{hash}', row.transactionHash) ?? null,
      };
    },

    /** The entries of a batch from an index on; undefined also if it is not a batch. */
    async entries(
      hash: Hex,
      from: number,
      tenant: string | undefined,
    ): Promise<BatchEntriesView | undefined> {
      const found = await batchOf(hash, tenant);
      if (found === undefined) return undefined;
      const { count, batch } = found.listed;
      const start = from - (from % BATCH_PAGE);
      if (start >= count) return { entries: [], count, next: null };
      const page = entriesOf(await batchPages.text(batch, start / BATCH_PAGE));
      const end = start + page.length;
      return {
        entries: page.map(({ entityId, hash: content }, i) => ({
          index: start + i,
          entityId,
          hash: content,
        })),
        count,
        next: end < count ? end : null,
      };
    },

    /** The entries of a batch that have an entity's id. `count` is 0 if it is not a batch, or not one that is known here. */
    async entriesWithId(hash: Hex, entityId: string, tenant: string | undefined): Promise<BatchEntriesView> {
      const found = await batchOf(hash, tenant);
      if (found === undefined) return { entries: [], count: 0, next: null };
      const entries: BatchEntriesView['entries'][number][] = [];
      let start = 0;
      for await (const text of batchPages.texts(found.listed)) {
        const page = text.includes(JSON.stringify(entityId)) ? entriesOf(text) : [];
        page.forEach((entry, i) => {
          if (entry.entityId === entityId) entries.push({ index: start + i, entityId, hash: entry.hash });
        });
        if (entries.length >= SAME_ID_MAX) break;
        start += BATCH_PAGE;
      }
      return { entries: entries.slice(0, SAME_ID_MAX), count: found.listed.count, next: null };
    },

    /** undefined also if the batch has no entry with this index. */
    async proof(hash: Hex, index: number, tenant: string | undefined): Promise<ProofView | undefined> {
      const found = await batchOf(hash, tenant);
      if (found === undefined || index >= found.listed.count) return undefined;
      const page = entriesOf(await batchPages.text(found.listed.batch, Math.floor(index / BATCH_PAGE)));
      const { entityId, hash: content, proof } = page[index % BATCH_PAGE]!;
      const { leaf, steps } = stepsOf(content, proof);
      const { receipt } = found.context;
      const recorded = receipt && timestampOf(receipt, chain.contract)[0]?.hash;
      return {
        entityId,
        index,
        count: found.listed.count,
        hash: content,
        leaf,
        steps,
        root: steps.at(-1)?.node ?? leaf,
        recordedRoot: recorded ?? null,
      };
    },
  };
}

/** Returns a transaction as lists show it. `index` is the place of the listed entity in a batch. */
export function rowOf(
  context: TransactionContext,
  signed: SignedTransaction,
  index: number | undefined,
): TransactionRowView {
  const { hash, operation } = signed;
  const { receipt, recordedAt } = context;
  const { listed } = operation;
  return {
    transactionHash: receipt?.transactionHash ?? hash,
    operation: operation.name,
    state: stateOf(context, signed),
    account: operation.account,
    blockNumber: receipt === undefined ? null : Number(receipt.blockNumber),
    recordedAt: receipt === undefined ? null : isoOf(recordedAt),
    batch: 'entityId' in listed ? null : { index: index ?? 0, count: listed.count },
  };
}

function stateOf({ receipt, refusal }: TransactionContext, signed: SignedTransaction): TransactionState {
  if (receipt !== undefined) return faultOf({ signed, receipt }) === undefined ? 'recorded' : 'failed';
  return refusal === undefined ? 'sending' : 'refused';
}

/** Reads the block of a receipt. A node that does not answer leaves gaps. */
async function blockOf(chain: LateChain, receipt: ChainReceipt, finality: number): Promise<BlockView> {
  const number = Number(receipt.blockNumber);
  const head = chain.missing() === undefined ? chain.head() : undefined;
  const confirmations = head === undefined ? null : Math.max(0, head - number + 1);
  const final = confirmations !== null && confirmations >= finality;
  const block = await chain.block(number).catch((error: unknown) => {
    if (!(error instanceof ChainUnavailable)) throw error;
    return undefined;
  });
  const { blockHash: hash } = receipt;
  const time = block?.hash === hash ? isoOf(block.timestamp * 1_000) : null;
  return { number, hash, time, confirmations, finality, final };
}
