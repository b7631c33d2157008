import { setTimeout as delay } from 'node:timers/promises';
import { ChainMisfit, ChainUnavailable } from './port.js';
import type { Chain } from './port.js';

/** A chain whose node may come later than the service, or not at all. */
export interface LateChain extends Chain {
  /** What has kept the node away so far; undefined once it was found. */
  missing(): string | undefined;
  /** Told once, when the node has been found; at once where it has been already. */
  onFound(listener: () => void): void;
}

/** How long to wait before the node is looked for again, ms; doubles each time. */
const AGAIN_MS = 250;
const LONGEST_MS = 10_000;

/**
 * Opens a chain as soon as its node can be had. Until then everything that is asked of it throws what kept it away:
 * `ChainUnavailable`, or `ChainMisfit`. Resolves once the first attempt is over.
 */
export async function openLateChain(open: () => Promise<Chain>): Promise<LateChain> {
  const closing = new AbortController();
  const listeners: (() => void)[] = [];
  let chain: Chain | undefined;
  let reason: unknown = new ChainUnavailable('the node of the chain was not asked yet');

  const attempt = async (): Promise<boolean> => {
    try {
      const opened = await open();
      if (closing.signal.aborted) {
        await opened.close();
        return true;
      }
      chain = opened;
      for (const listener of listeners.splice(0)) listener();
      return true;
    } catch (error) {
      reason = error;
      return false;
    }
  };

  const search = async (): Promise<void> => {
    for (let wait = AGAIN_MS; !closing.signal.aborted; wait = Math.min(2 * wait, LONGEST_MS)) {
      await delay(wait, undefined, { signal: closing.signal, ref: false });
      if (await attempt()) return;
    }
  };

  const found = (): Chain => {
    if (chain === undefined) throw reason;
    return chain;
  };

  const rejected = async (): Promise<never> => {
    throw reason;
  };

  let searching: Promise<unknown> = Promise.resolve();
  if (!(await attempt())) {
    // A start fails for what no waiting mends; later, whatever it was, the node may be another the next time.
    if (!(reason instanceof ChainUnavailable || reason instanceof ChainMisfit)) throw reason;
    searching = search().catch((error: unknown) => void (reason = error));
  }

  return {
    get id() {
      return found().id;
    },
    get name() {
      return found().name;
    },
    get contract() {
      return found().contract;
    },
    fees: async () => found().fees(),
    nextNonce: async (account, at) => found().nextNonce(account, at),
    balance: async (account) => found().balance(account),
    send: async (raw) => found().send(raw),
    receipt: async (hash) => found().receipt(hash),
    transaction: async (hash) => found().transaction(hash),
    block: async (number) => found().block(number),
    mined: (hash, confirmations, unsent) =>
      chain?.mined(hash, confirmations, unsent) ?? { receipt: rejected(), stop: () => undefined },
    head: () => chain?.head(),
    hashOf: (number) => chain?.hashOf(number),
    onReorganisation: (listener) => found().onReorganisation(listener),
    ping: async () => found().ping(),
    missing: () => (chain === undefined ? (reason as Error).message : undefined),
    onFound(listener) {
      if (chain === undefined) listeners.push(listener);
      else listener();
    },
    async close() {
      closing.abort();
      await searching;
      await chain?.close();
    },
  };
}
