import type { Wallet } from '../wallets/port.js';
import type { Operation } from './operation.js';

/** What the routes ask of the ledger. */
export interface Ledger {
  /**
   * Has the operation signed by the wallet, waits for its receipt, and gives that as JSON text, in pieces. Throws
   * `Refusal`: `unprocessable` for a key that belongs to other content, `gateway-timeout` with the member
   * `transactionHash` when it takes too long, `bad-gateway`, `unavailable`, and what the wallet throws.
   */
  record(operation: Operation, by: Caller): Promise<Iterable<string>>;

  /** The entities that have transactions, first recorded first, with their transactions (L6): JSON text in pieces. */
  entities(page: Page, tenant: string | undefined): Promise<AsyncIterable<string>>;

  /** The transactions of an entity, newest last (L7): JSON text in pieces; undefined where it has none. */
  transactions(
    entityId: string,
    page: Partial<Page>,
    tenant: string | undefined,
  ): Promise<AsyncIterable<string> | undefined>;
}

/** Who asks for an operation to be recorded. */
export interface Caller {
  readonly wallet: Wallet;
  /** The Idempotency-Key, and what it must stand for when it comes again. */
  readonly key: { readonly name: string; readonly content: string } | undefined;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}
