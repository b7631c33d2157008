import { setTimeout as delay } from 'node:timers/promises';
import { ChainUnavailable } from '../../chain/port.js';
import type { Chain, ChainReceipt, Hex } from '../../chain/port.js';
import { awaiting } from './mining-wait.js';
import type { Await, AwaitingOptions, Wait } from './mining-wait.js';
import type { SignedOperation } from './signed-operation.js';
import type { RefusalReason } from './transaction-machine.js';

/** What sending asks of the chain. */
type SendingChain = Pick<
  Chain,
  'send' | 'mined' | 'nextNonce' | 'receipt' | 'transaction' | 'onReorganisation'
>;

export interface SendingOptions extends AwaitingOptions {
  readonly chain: SendingChain;
  /** Told when a transaction that cannot be given up is refused: it is tried on. */
  readonly onHeld: (hash: Hex, detail: string) => void;
  /** Told when the chain knows only `used` transactions of the account, and is `missing` so many below this one's nonce. */
  readonly onBehind: (account: Hex, used: number, missing: number) => void;
}

/** What is special about sending one transaction. */
export interface Manner {
  /** True where a node has taken it before: it may be anywhere by now, and cannot be given up. */
  readonly accepted: boolean;
  /** False once it is not to be sent again by whoever asked for it. */
  readonly isWanted: () => boolean;
}

/**
 * Sends a transaction until the chain has it under enough blocks, or will never have it: where it was refused and no
 * node can have it, or its nonce was used by another one. Sending the same bytes again does no harm, and a node that was
 * away may have forgotten them. Rejects only when it is stopped, or not wanted any more.
 */
export type Send = (signed: SignedOperation, manner: Manner) => Promise<Sending>;

/** How sending a transaction ended. */
export type Sending =
  | { readonly is: 'mined'; readonly receipt: ChainReceipt }
  | { readonly is: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** How long the node is left alone with a transaction before it is sent again, ms; doubles each time. */
const AGAIN_MS = 3_000;
const LONGEST_MS = 30_000;
/** How long to wait where the node is away or takes nothing more, ms. */
const PAUSE_MS = 250;
/** How often a busy node is asked before it is looked into what it has of the account. */
const BUSY_LOOK = 12;
/** After what time a nonce must still look used by another transaction, ms: two nodes behind one address may disagree. */
const SURE_MS = 1_000;

/** Makes the sending to a chain. */
export function createSending(options: SendingOptions): Send {
  const waitFor = awaiting(options);
  return async (signed, manner) => {
    const unsent = manner.accepted ? undefined : waitFor(signed.hash, 'unsent');
    try {
      return await sendUntilMined(options, waitFor, signed, manner, unsent);
    } finally {
      unsent?.end();
    }
  };
}

async function sendUntilMined(
  options: SendingOptions,
  waitFor: Await,
  signed: SignedOperation,
  manner: Manner,
  unsent: Wait | undefined,
): Promise<Sending> {
  const { chain, stopped, onHeld, onBehind } = options;
  const { raw, hash, nonce, operation } = signed;
  let { accepted } = manner;
  let first = unsent;
  const tellWhereBehind = async (): Promise<void> => {
    const used = await chain.nextNonce(operation.account, 'latest');
    if (used < nonce) onBehind(operation.account, used, nonce - used);
  };
  let wait = AGAIN_MS;
  for (let busy = 1; ;) {
    stopped.throwIfAborted();
    if (!manner.isWanted()) throw new Error('nobody wants it sent');
    // A gateway that answers with an error, or with nothing, may have passed it on.
    const receipt = first?.seen();
    if (receipt !== undefined) return { is: 'mined', receipt };
    try {
      const couldBeOut = accepted;
      // Until the node refuses it, any node may have it.
      accepted = true;
      const sent = await chain.send(raw);
      if (sent.is === 'nonce-used' && (await isReplaced(chain, signed, stopped))) {
        return { is: 'refused', reason: 'nonce-used', detail: sent.detail };
      }
      if (sent.is === 'refused') {
        accepted = couldBeOut || (await chain.transaction(hash)) !== undefined;
        const reason = sent.reason === 'funds' ? 'funds' : 'refused';
        if (!accepted) return { is: 'refused', reason, detail: sent.detail };
        onHeld(hash, sent.detail);
      }
      if (sent.is === 'unknown' && sent.why !== 'replaced') {
        // A node that keeps nothing behind a gap may lack what came before.
        if (busy % BUSY_LOOK === 0) await tellWhereBehind();
        busy += 1;
        await delay(PAUSE_MS, undefined, { signal: stopped });
        continue;
      }
      // What has used its own nonce is in a block that may have been looked through already.
      const waiting = sent.is === 'sent' && first ? first : waitFor(hash);
      first = undefined;
      const ended = await waiting.within(wait);
      if (ended.is === 'mined') return ended;
      wait = ended.is === 'reorganised' ? AGAIN_MS : Math.min(2 * wait, LONGEST_MS);
      if (ended.is === 'late') await tellWhereBehind();
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      await delay(PAUSE_MS, undefined, { signal: stopped });
    }
  }
}

/** True where another transaction has used up the nonce, and still has a moment later. */
async function isReplaced(
  chain: SendingChain,
  signed: SignedOperation,
  stopped: AbortSignal,
): Promise<boolean> {
  if (!(await looksReplaced(chain, signed))) return false;
  await delay(SURE_MS, undefined, { signal: stopped });
  return looksReplaced(chain, signed);
}

async function looksReplaced(
  chain: SendingChain,
  { hash, nonce, operation }: SignedOperation,
): Promise<boolean> {
  if ((await chain.nextNonce(operation.account, 'latest')) <= nonce) return false;
  if ((await chain.receipt(hash)) !== undefined) return false;
  return (await chain.transaction(hash)) === undefined;
}
