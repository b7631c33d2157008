import type { Hex } from '../../chain/port.js';

/** A transaction in the list of an entity. */
export interface Item {
  /** Name of the chain that has it. */
  readonly chain: string;
  readonly hash: Hex;
  /** Which entry of a batch is the entity's; undefined where the transaction is no batch. */
  readonly index: number | undefined;
  /** The operation's. */
  readonly tenant: string | undefined;
}

/** An item as the text that lists keep. */
export function itemText({ chain, hash, index, tenant }: Item): string {
  return `${chain} ${hash} ${index ?? ''} ${tenant ?? ''}`.trimEnd();
}

/** The inverse of `itemText`. */
export function itemOf(text: string): Item {
  const [chain, hash, index = '', tenant] = text.split(' ');
  return {
    chain: chain!,
    hash: hash as Hex,
    index: index === '' ? undefined : Number(index),
    tenant: tenant === '' ? undefined : tenant,
  };
}
