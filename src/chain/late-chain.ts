import { setTimeout as delay } from 'node:timers/promises';
import { type Chain, ChainMisfit, ChainUnavailable } from './port.js';

/** A chain whose node may become available after the start of the service. */
export interface LateChain extends Chain {
  /** Why the node is not available yet; undefined once it has been. */
  missing(): string | undefined;
  /** Calls the listener once: when the node is available, or at once if it has been. */
  onFound(listener: () => void): void;
}

/** Returns true if the node is on the chain of this name; false also while the chain of the node is unknown. */
export function isOn(chain: Pick<Chain, 'name'>, name: string): boolean {
  try {
    return chain.name === name;
  } catch {
    return false;
  }
}

/** Pause before the next attempt to open the chain, ms. It doubles each time. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Opens a chain as soon as its node is available. Until then every method throws the reason: `ChainUnavailable` or
 * `ChainMisfit`. Resolves after the first attempt. Throws any other error of that attempt.
 */
export async function openLateChain(open: () => Promise<Chain>): Promise<LateChain> {
  const closing = new AbortController();
  const listeners: (() => void)[] = [];
  let chain: Chain | undefined;
  let reason: unknown = new ChainUnavailable('the node of the chain was not asked yet');

  const attempt = async (): Promise<boolean> => {
    const opened = await open().catch((error: unknown) => void (reason = error));
    if (opened === undefined) return false;
    if (closing.signal.aborted) {
      await opened.close();
    } else {
      chain = opened;
      for (const listener of listeners.splice(0)) listener();
    }
    return true;
  };

  const search = async (): Promise<void> => {
    for (let wait = FIRST_PAUSE_MS; !closing.signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      await delay(wait, undefined, { signal: closing.signal, ref: false });
      if (await attempt()) return;
    }
  };

  const found = (): Chain => {
    if (chain === undefined) throw reason;
    return chain;
  };

  const onFound: LateChain['onFound'] = (listener) => {
    if (chain === undefined) listeners.push(listener);
    else listener();
  };

  const rejected = async (): Promise<never> => {
    throw reason;
  };

  let searching: Promise<unknown> = Promise.resolve();
  if (!(await attempt())) {
    // The start fails for an error that waiting does not mend.
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
    checkContract: async () => chain?.checkContract(),
    contractMissing: () => chain?.contractMissing(),
    contractWarning: () => chain?.contractWarning(),
    onContract: (listener) => onFound(() => chain!.onContract(listener)),
    receipt: async (hash) => found().receipt(hash),
    transaction: async (hash) => found().transaction(hash),
    block: async (number) => found().block(number),
    evidence: async (blockHash, known) => found().evidence(blockHash, known),
    mined: (hash, confirmations, unsent) =>
      chain?.mined(hash, confirmations, unsent) ?? { receipt: rejected(), stop: () => undefined },
    head: () => chain?.head(),
    progress: () => chain?.progress(),
    hashOf: (number) => chain?.hashOf(number),
    onReorganisation: (listener) => found().onReorganisation(listener),
    ping: async () => found().ping(),
    missing: () => (chain === undefined ? (reason as Error).message : undefined),
    onFound,
    async close() {
      closing.abort();
      await searching;
      await chain?.close();
    },
  };
}
