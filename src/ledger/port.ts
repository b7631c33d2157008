import type { Wallet } from '../wallets/port.js';
import type { Operation } from './operation.js';

/** The ledger, as its routes use it. */
export interface Ledger {
  /**
   * Has the operation signed by the wallet, waits for its receipt, and returns that as JSON text, in pieces. Throws
   * `Refusal`: `unprocessable` for a key that belongs to other content; `unavailable` if the signing has not begun by
   * the deadline, or has begun and does not end within 2 s after it; `gateway-timeout` with the member
   * `transactionHash` if the transaction is signed and in no block in that time; `bad-gateway`; and the errors of the
   * wallet.
   */
  record(operation: Operation, by: Caller): Promise<Iterable<string>>;

  /**
   * Accepts the operation of a notification, which the default account, `wallet`, records afterwards. Resolves with its id once
   * that is durable; the same notification has the same id, and is recorded once. Throws `Refusal`: `unavailable` if too many
   * wait.
   */
  accept(operation: Operation, by: Pick<Caller, 'wallet' | 'trace'>): Promise<string>;

  /** Returns what became of an accepted operation, of any tenant without `tenant`; undefined if it is unknown. */
  operation(id: string, tenant: string | undefined): Promise<OperationState | undefined>;

  /** The entities that have transactions, first recorded first, with their transactions (L6): JSON text in pieces. */
  entities(page: Page, tenant: string | undefined): Promise<AsyncIterable<string>>;

  /** The transactions of an entity, newest last (L7): JSON text in pieces; undefined if it has none. */
  transactions(
    entityId: string,
    page: Partial<Page>,
    tenant: string | undefined,
  ): Promise<AsyncIterable<string> | undefined>;
}

/** The request that an operation comes with. */
export interface Caller {
  readonly wallet: Wallet;
  readonly key: CallerKey | undefined;
  /** Arrival of the request plus LEDGER_WAIT_S, ms since the epoch. */
  readonly deadline: number;
  /** The span of the request as `traceparent`; undefined if it is not traced. */
  readonly trace?: string | undefined;
}

/** The Idempotency-Key of a caller. */
export interface CallerKey {
  readonly name: string;
  /** A digest of the content that every request with it must have. */
  readonly content: string;
  /** True for an accepted operation: the key is kept until the operation has ended. */
  readonly needed?: boolean;
}

/** What became of an accepted operation. `receipt`: JSON text, in pieces. */
export type OperationState =
  | { readonly is: 'pending' }
  | { readonly is: 'recorded'; readonly receipt: Iterable<string>; readonly entities: number }
  | { readonly is: 'failed'; readonly detail: string };

export interface Page {
  readonly offset: number;
  readonly limit: number;
}
