/** Calls a method of the node. Rejects if the node does not answer, or refuses. */
export type NodeCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Maximum number of attempts at a dump: a block already in production when mining stopped may still appear. */
const DUMP_ATTEMPTS = 10;

/** Calls a method of the node on a port. Rejects if it does not answer in `timeoutMs`, or refuses. */
export async function callNode(
  port: number,
  method: string,
  params: readonly unknown[],
  timeoutMs: number,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { result, error } = (await response.json()) as {
    readonly result?: unknown;
    readonly error?: { readonly message?: unknown };
  };
  if (error !== undefined) throw new Error(`${method}: ${String(error.message)}`);
  return result;
}

/** Returns the hash of the newest block. */
export async function newestBlock(call: NodeCall): Promise<string> {
  return ((await call('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string }).hash;
}

/**
 * Returns the node's state at one block, gzip in hexadecimal digits, with the block's hash. The caller stops mining before. During mining a dump can contain the accounts of a
 * block that is not among its blocks: a chain restored from it has a used nonce without its transaction.
 */
export async function dumpAtOneBlock(call: NodeCall) {
  for (let attempt = 0; attempt < DUMP_ATTEMPTS; attempt += 1) {
    const block = await newestBlock(call);
    const state = (await call('anvil_dumpState', [])) as string;
    if ((await newestBlock(call)) === block) return { block, state };
  }
  throw new Error('new blocks appear during every dump');
}
