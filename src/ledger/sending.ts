import { setTimeout as delay } from 'node:timers/promises';
import { ChainUnavailable } from '../chain/port.js';
import type { Chain, ChainReceipt, Hex } from '../chain/port.js';
import type { RefusalReason } from './transaction-machine.js';
import type { SignedOperation } from './wallet-machine.js';

/** What sending asks of the chain. */
type SendingChain = Pick<Chain, 'send' | 'mined' | 'nextNonce' | 'receipt'>;

/** How it ended that a transaction was sent. */
export type Sending =
  | { readonly is: 'mined'; readonly receipt: ChainReceipt }
  | { readonly is: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** How long the node is left alone with a transaction before it is sent again, ms; doubles each time. */
const AGAIN_MS = 3_000;
const LONGEST_MS = 30_000;
/** How long to wait where the node is away or takes nothing more, ms. */
const PAUSE_MS = 250;
/** Why waiting was broken off. */
const LATE = new Error('not mined in time');

/**
 * Sends a transaction until the chain has it under `confirmations` blocks, or will never have it. Sending the same
 * bytes again does no harm, and a node that was away may have forgotten them. Rejects only when `signal` aborts.
 */
export async function send(
  chain: SendingChain,
  { raw, hash, nonce, operation }: SignedOperation,
  confirmations: number,
  signal: AbortSignal,
): Promise<Sending> {
  for (let wait = AGAIN_MS; ; wait = Math.min(2 * wait, LONGEST_MS)) {
    signal.throwIfAborted();
    try {
      const sent = await chain.send(raw);
      if (sent.is === 'busy') {
        await delay(PAUSE_MS, undefined, { signal });
        continue;
      }
      if (sent.is === 'funds' || sent.is === 'refused') {
        return { is: 'refused', reason: sent.is, detail: sent.detail };
      }
      if (sent.is === 'nonce-used' && (await isReplaced(chain, hash, operation.account, nonce))) {
        return { is: 'refused', reason: 'nonce-used', detail: sent.detail };
      }
      const receipt = await minedWithin(chain, hash, confirmations, wait, signal);
      if (receipt !== undefined) return { is: 'mined', receipt };
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      await delay(PAUSE_MS, undefined, { signal });
    }
  }
}

/** True where another transaction has used up the nonce. */
async function isReplaced(chain: SendingChain, hash: Hex, account: Hex, nonce: number): Promise<boolean> {
  if ((await chain.nextNonce(account, 'latest')) <= nonce) return false;
  return (await chain.receipt(hash)) === undefined;
}

/** undefined where it takes longer than `ms`. */
async function minedWithin(
  chain: SendingChain,
  hash: Hex,
  confirmations: number,
  ms: number,
  stopped: AbortSignal,
): Promise<ChainReceipt | undefined> {
  stopped.throwIfAborted();
  const attempt = new AbortController();
  const stop = (): void => attempt.abort(stopped.reason);
  const timer = setTimeout(() => attempt.abort(LATE), ms);
  stopped.addEventListener('abort', stop, { once: true });
  try {
    return await chain.mined(hash, confirmations, attempt.signal);
  } catch (error) {
    if (error === LATE) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', stop);
  }
}
