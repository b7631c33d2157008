import type { ActorKind, Actors, EffectRun } from '../../actors/kind.js';
import type { Chain, Hex } from '../../chain/port.js';
import type { Address } from '../../store/port.js';
import type { AccountEvent } from '../account/account-machine.js';
import { accountAddress, KEY } from '../addresses.js';
import { type FenceEffect, type KeyContext, type KeyEvent, keyMachine } from './key-machine.js';

/** The kind of Idempotency-Keys. The tenant in their addresses is the account. `ttlMs`: how long a key is kept. */
export function keyKind(chain: Pick<Chain, 'name'>, ttlMs: number, now: () => number): ActorKind {
  const fence = async (
    { id, claims }: FenceEffect,
    _context: KeyContext,
    { address, actors }: EffectRun,
  ): Promise<KeyEvent> => {
    const account = accountAddress(chain.name, address.tenant as Hex);
    const hash = await fenceClaims(actors, account, claims, now());
    if (hash === undefined) return { type: 'fenced', now: now(), entryId: id };
    return { type: 'signed', now: now(), claim: claims.at(-1)!, chain: chain.name, hash };
  };
  return {
    name: KEY,
    version: 1,
    machine: keyMachine(ttlMs),
    effects: { fence },
    unindexedState: 'signed',
    deletedState: 'gone',
  };
}

/**
 * Has an account refuse every later signature for the claims. Returns the hash of the transaction that was signed for
 * one of them and waits to be dispatched; undefined if none waits.
 */
export function fenceClaims(
  actors: Actors,
  account: Address,
  claims: readonly string[],
  now: number,
): Promise<Hex | undefined> {
  const event: AccountEvent = { type: 'fence', now, claims };
  return actors.ask<Hex | undefined>(account, event);
}
