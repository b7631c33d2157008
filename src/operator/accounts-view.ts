import { contextIn } from '../actors/behavior.js';
import type { Hex } from '../chain/port.js';
import type { AccountContext } from '../ledger/account/account-machine.js';
import {
  explainPendingNonces,
  type NodeView,
  storedNonce,
  type StoredNonce,
} from '../ledger/account/pending-nonces.js';
import { ACCOUNT, TRANSACTION } from '../ledger/addresses.js';
import type { TransactionContext } from '../ledger/transaction/transaction-machine.js';
import { pages } from '../store/paging.js';
import { addressOf, type Listed, type Store } from '../store/port.js';
import type { Page } from './actors-view.js';
import type { AccountView } from './shapes.js';

/** Documents read at a time in the search for pending transactions. */
const SCAN_PAGE = 200;

/** Open transactions by chain and account. */
type PendingTransactions = Map<string, StoredNonce[]>;

/**
 * Returns a page of accounts, ordered by chain and address. `node` is asked last: a transaction that ends meanwhile is
 * listed with an old reason at most.
 */
export async function listAccounts(
  store: Store,
  node: () => Omit<NodeView, 'hasOthers'>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Page<AccountView>> {
  const page = await store.list({ kind: ACCOUNT, after, limit: limit + 1 });
  const accounts = page.items.slice(0, limit);
  // After the accounts: an account forgets a transaction only when an actor of its own has it.
  const transactions = await pendingTransactions(store, accounts);
  const view: NodeView = { ...node(), hasOthers: store.shared };
  const items = accounts.map((listed) => shown(listed, transactions, view));
  const isLast = !page.more && page.items.length <= limit;
  return { items, next: isLast ? null : accounts.at(-1)!.id };
}

/** Reads the pending transactions that have actors of their own and belong to one of the accounts. */
async function pendingTransactions(store: Store, accounts: readonly Listed[]): Promise<PendingTransactions> {
  const found: PendingTransactions = new Map(
    accounts.map(({ id }) => [ownerOf(addressOf(id).tenant, addressOf(id).name), []]),
  );
  for (const chain of new Set(accounts.map(({ id }) => addressOf(id).tenant))) {
    const query = { kind: TRANSACTION, tenant: chain, state: 'sending', limit: SCAN_PAGE };
    for await (const page of pages((after) => store.list({ ...query, after }))) {
      for (const listed of page) {
        const { signed, replacements } = contextIn(listed) as TransactionContext;
        const owner = found.get(ownerOf(chain, signed!.operation.account));
        owner?.push(storedNonce(signed!, replacements));
      }
    }
  }
  return found;
}

function ownerOf(chain: string, account: string): string {
  return `${chain}/${account}`;
}

function shown(
  { id, state, frequent, rare }: Listed,
  transactions: PendingTransactions,
  node: NodeView,
): AccountView {
  const { tenant: chain, name } = addressOf(id);
  const { next, free, outbox } = contextIn({ frequent, rare }) as AccountContext;
  const remembered = outbox.map(({ transaction }) => storedNonce(transaction));
  const known = [...remembered, ...transactions.get(ownerOf(chain, name))!];
  const open = explainPendingNonces({ chain, account: name as Hex, free }, known, node);
  return { chain, account: name, state, next: next ?? null, free, open };
}
