/** Asks the node. Rejects where it does not answer, or refuses. */
export type AskNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** The node's state as a block leaves it. */
export interface Dump {
  /** The block's hash. */
  readonly block: string;
  /** gzip in hexadecimal digits. */
  readonly state: string;
}

/** How often it is tried: a block that was being made when the node was told to make none still comes. */
const ATTEMPTS = 10;

/** The hash of the newest block. */
export async function newestBlock(ask: AskNode): Promise<string> {
  return ((await ask('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string }).hash;
}

/**
 * Has the node dump its state as one block leaves it; it must have been told to make none. While blocks are made it
 * writes down accounts of a block that is not among those which it has written down, and a chain that came back so
 * would have a nonce used by a transaction that nobody has.
 */
export async function dumpOfOneBlock(ask: AskNode): Promise<Dump> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const block = await newestBlock(ask);
    const state = (await ask('anvil_dumpState', [])) as string;
    if ((await newestBlock(ask)) === block) return { block, state };
  }
  throw new Error('new blocks come again and again while it is dumped');
}
