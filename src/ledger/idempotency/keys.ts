import { setTimeout as delay } from 'node:timers/promises';
import type { Actors } from '../../actors/runtime.js';
import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import { keyAddress, accountAddress } from '../addresses.js';
import type { Claim, Claimed, KeyEvent } from './key-machine.js';
import { newestFence } from '../account/account-machine.js';
import type { AccountContext, AccountEvent } from '../account/account-machine.js';

/** The Idempotency-Keys of all accounts. */
export interface Keys {
  /**
   * Claims a key, or tells the transaction that was signed for it; waits, at most `ms`, while another request has it
   * signed. Throws `Refusal`: `unprocessable` where it belongs to other content, `unavailable`.
   */
  claim(
    account: Hex,
    key: { readonly name: string; readonly content: string },
    ms: number,
  ): Promise<HeldClaim | { readonly chain: string; readonly hash: Hex }>;
  /** Nothing was signed for a claim. */
  release(account: Hex, key: string, claim: string): Promise<void>;
  /** Its transaction is durable, or nobody knows: the claim is not held here any more. */
  leave(claim: string): void;
}

/** A claim that is held here; `since`: see `AccountEvent`. */
export interface HeldClaim {
  readonly claim: string;
  readonly since: string | undefined;
}

export interface KeysOptions {
  readonly actors: () => Actors;
  readonly chain: { readonly name: string };
  /** True where other processes may hold claims. */
  readonly shared: boolean;
  readonly now: () => number;
  readonly newId: () => string;
}

/**
 * How long another process is believed to be still at it: longer than any wallet is waited for, ms. Where that is wrong,
 * since its clock is another one or it was slow, its signature is not taken: nothing is signed twice.
 */
const LEASE_MS = 15_000;
const LOOK_MS = 50;

/** Makes the keys of a node. */
export function createKeys({ actors, chain, shared, now, newId }: KeysOptions): Keys {
  const node = newId();
  const held = new Set<string>();

  const tell = <R>(account: Hex, key: string, event: KeyEvent): Promise<R> =>
    actors().ask<R>(keyAddress(account, key), event);

  const isDead = (by: Claim): boolean => {
    if (by.node === node) return !held.has(by.id);
    return !shared || now() - by.at > LEASE_MS;
  };

  /**
   * After this nothing can be signed for the old claims any more, also not for one whose fence somebody else had no time
   * to put up; what was signed before will be known.
   */
  const takeOver = async (account: Hex, key: string, from: Claim, claim: Claim): Promise<void> => {
    const event: KeyEvent = { type: 'takeOver', now: now(), from: from.id, claim };
    const reply = await tell<Claimed | undefined>(account, key, event);
    // Released meanwhile, or taken by somebody else.
    if (reply?.is !== 'taken-over') return;
    const fence: AccountEvent = { type: 'fence', now: now(), claims: reply.former };
    const pending = await actors().ask<Hex | undefined>(accountAddress(chain.name, account), fence);
    if (pending === undefined) return;
    const signed: KeyEvent = { type: 'signed', now: now(), claim: from.id, chain: chain.name, hash: pending };
    await tell(account, key, signed);
  };

  const fenceOf = async (account: Hex): Promise<string | undefined> => {
    const address = accountAddress(chain.name, account);
    const view = actors().peek<AccountContext>(address) ?? (await actors().read<AccountContext>(address));
    return newestFence(view?.context);
  };

  return {
    async claim(account, { name, content }, ms) {
      const deadline = now() + ms;
      const since = await fenceOf(account);
      const id = newId();
      held.add(id);
      try {
        for (;;) {
          const claim: Claim = { id, node, at: now() };
          const event: KeyEvent = { type: 'claim', now: now(), content, claim };
          const reply = await tell<Exclude<Claimed, { is: 'taken-over' }>>(account, name, event);
          if (reply.is === 'yours') return { claim: id, since };
          if (reply.is === 'signed') {
            held.delete(id);
            return { chain: reply.chain, hash: reply.hash };
          }
          if (isDead(reply.by)) await takeOver(account, name, reply.by, claim);
          else if (now() > deadline)
            throw new Refusal('unavailable', 'another request with this Idempotency-Key is being signed');
          else await delay(LOOK_MS);
        }
      } catch (error) {
        held.delete(id);
        throw error;
      }
    },
    async release(account, key, claim) {
      const event: KeyEvent = { type: 'release', now: now(), claim };
      try {
        await tell(account, key, event);
      } finally {
        held.delete(claim);
      }
    },
    leave: (claim) => void held.delete(claim),
  };
}
