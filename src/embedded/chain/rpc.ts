/** Asks the chain's node in the process. Rejects where it does not answer in `timeoutMs`, or refuses. */
export async function askChainNode(
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
