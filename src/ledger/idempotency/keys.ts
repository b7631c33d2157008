import { setTimeout as delay } from 'node:timers/promises';
import type { Actors } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import type { Hex } from '../../chain/port.js';
import { type AccountContext, newestFence } from '../account/account-machine.js';
import { accountAddress, keyAddress } from '../addresses.js';
import type { CallerKey } from '../port.js';
import { inTime } from '../../system/in-time.js';
import { fenceClaims } from './key-kind.js';
import type { TransactionId } from '../signed-transaction.js';
import type { Claim, Claimed, KeyEvent } from './key-machine.js';

/** The Idempotency-Keys of all accounts. */
export type Keys = ReturnType<typeof createKeys>;

/** A claim of this node; `since`: see `AccountEvent`. */
export interface HeldClaim {
  readonly claim: string;
  readonly since: string | undefined;
}

export interface KeysOptions {
  readonly actors: Actors;
  readonly chain: { readonly name: string };
  /** True if other processes may hold claims. */
  readonly shared: boolean;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
}

/**
 * How long a claim of another process counts, ms: longer than a wallet may take. A process that is slower, or whose
 * clock differs, loses its claim: its signature is refused then, and nothing is signed twice.
 */
const LEASE_MS = 15_000;
/** First and longest pause before a claim of another process is checked again, ms. */
const POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;

const NOT_CLAIMED =
  'the Idempotency-Key was not claimed in the time that LEDGER_WAIT_S allows; nothing was done';
const STILL_SIGNED =
  'another request with this Idempotency-Key is being signed; nothing was done for this one';

/** Makes the keys of a node. */
export function createKeys({ actors, chain, shared, now, newId }: KeysOptions) {
  const node = newId();
  /** The claims of this node. Each ends with its transaction, if that is known. */
  const holdings = new Map<string, { ended: Promise<End>; end: (transaction: End) => void }>();

  const ask = <R>(account: Hex, key: string, event: KeyEvent): Promise<R> =>
    actors.ask<R>(keyAddress(account, key), event);

  /** Called when the transaction of a claim is durable; undefined if the store did not answer. */
  const end = (claim: string, transaction: TransactionId | undefined): void => {
    holdings.get(claim)?.end(transaction);
    holdings.delete(claim);
  };

  /** Called when nothing was signed for a claim: another request can claim the key. Never rejects. */
  const release = async (account: Hex, key: string, claim: string): Promise<void> => {
    try {
      await ask(account, key, { type: 'release', now: now(), claim });
    } catch {
      // The next request with the key takes the claim over.
    } finally {
      end(claim, undefined);
    }
  };

  /** Nothing can be signed for the former claims afterwards. What was signed before is known to the key then. */
  const takeOver = async (account: Hex, key: string, from: Claim, claim: Claim): Promise<void> => {
    const event: KeyEvent = { type: 'takeOver', now: now(), from: from.id, claim };
    const reply = await ask<Claimed | undefined>(account, key, event);
    // It was released meanwhile, or another request has taken it over.
    if (reply?.is !== 'taken-over') return;
    const hash = await fenceClaims(actors, accountAddress(chain.name, account), reply.former, now());
    if (hash === undefined) return;
    await ask(account, key, { type: 'signed', now: now(), claim: from.id, chain: chain.name, hash });
  };

  const fenceOf = async (account: Hex): Promise<string | undefined> => {
    const address = accountAddress(chain.name, account);
    const view = actors.peek<AccountContext>(address) ?? (await actors.read<AccountContext>(address));
    return newestFence(view?.context);
  };

  /** Returns the end of a live claim of this node, or a pause in which one of another process may end. */
  const endOf = ({ id }: Claim, pollMs: number): Promise<TransactionId | undefined> =>
    holdings.get(id)?.ended ?? delay(pollMs, undefined);

  const isAlive = (by: Claim): boolean => {
    if (by.node === node) return holdings.has(by.id);
    return shared && now() - by.at <= LEASE_MS;
  };

  /** Claims the key as `id`. `onHeld` is called when it has to wait for another request. */
  const claimAs = async (
    { id, account, key, deadline }: Claiming,
    onHeld: () => void,
  ): Promise<HeldClaim | TransactionId> => {
    const since = await fenceOf(account);
    for (let pollMs = POLL_MS; now() < deadline;) {
      const claim: Claim = { id, node, at: now() };
      const { content, needed } = key;
      const event: KeyEvent = { type: 'claim', now: now(), content, claim, needed };
      const reply = await ask<Exclude<Claimed, { is: 'taken-over' }>>(account, key.name, event);
      if (reply.is === 'signed') return { chain: reply.chain, hash: reply.hash };
      if (reply.is === 'yours') {
        if (now() < deadline) return { claim: id, since };
        await release(account, key.name, id);
      } else if (isAlive(reply.by)) {
        onHeld();
        const transaction = await endOf(reply.by, pollMs);
        if (transaction !== undefined) return transaction;
        pollMs = Math.min(2 * pollMs, LONGEST_POLL_MS);
      } else {
        await takeOver(account, key.name, reply.by, claim);
      }
    }
    throw new Refusal('unavailable', NOT_CLAIMED);
  };

  return {
    /**
     * Claims a key, or returns the transaction that was signed for it. Waits while another request has the operation
     * signed, at most until the deadline (ms since the epoch). Throws `Refusal`: `unprocessable` if the key belongs to
     * other content, `unavailable` at the deadline: the caller holds no claim then.
     */
    async claim(account: Hex, key: Claiming['key'], deadline: number): Promise<HeldClaim | TransactionId> {
      const id = newId();
      let ends!: (transaction: End) => void;
      const ended = new Promise<End>((resolve) => (ends = resolve));
      holdings.set(id, { ended, end: ends });
      let late = NOT_CLAIMED;
      const claiming = claimAs({ id, account, key, deadline }, () => (late = STILL_SIGNED));
      let isLate = false;
      claiming.then(
        (claimed) => {
          if ('hash' in claimed) end(id, undefined);
          // The caller has left. A claim that stayed would keep the key from every later request.
          else if (isLate) void release(account, key.name, id);
        },
        () => end(id, undefined),
      );
      const left = (): Refusal => {
        isLate = true;
        return new Refusal('unavailable', late);
      };
      return inTime(claiming, deadline - now(), left);
    },
    release,
    leave: end,
    /** Starts the time to live of a key that was claimed as `needed`. */
    unneeded: (account: Hex, key: string) => ask<void>(account, key, { type: 'unneeded', now: now() }),
  };
}

type End = TransactionId | undefined;

interface Claiming {
  readonly id: string;
  readonly account: Hex;
  readonly key: CallerKey;
  readonly deadline: number;
}
