import type { Address } from '../store/port.js';
import { overloaded } from './committer.js';
import type { ActorContext, ActorKind } from './kind.js';

/**
 * Characters that are on their way out of actors, whose documents stay in memory until they are out. A tenant may have
 * as many as are free for others: one alone half of all.
 */
export class Outgoing {
  readonly #ofTenant = new Map<string, number>();
  #all = 0;

  /** `most`: characters of all tenants together. */
  constructor(private readonly most: number) {}

  /** How many characters a tenant may add at a time. */
  roomOf(tenant: string): number {
    return Math.max(SMALL, (this.most - this.#all - (this.#ofTenant.get(tenant) ?? 0)) / 2);
  }

  /** Counts what an actor is to have from now on; throws a `Refusal` where there is no room for what it adds. */
  admit(holder: Holder, { outgoing }: Kind, context: ActorContext): void {
    if (outgoing === undefined) return;
    const characters = outgoing(context as never);
    const more = characters - holder.outgoing;
    if (more > SMALL && more > this.roomOf(holder.address.tenant)) {
      throw overloaded(`too many messages of ${holder.address.tenant} wait to be handed over`);
    }
    this.#count(holder, characters);
  }

  /** Counts what an actor has, whatever room there is. */
  count(holder: Holder, { outgoing }: Kind, context: ActorContext | undefined): void {
    if (outgoing === undefined) return;
    this.#count(holder, context === undefined ? 0 : outgoing(context as never));
  }

  /** Counts nothing of an actor any more. */
  forget(holder: Holder): void {
    this.#count(holder, 0);
  }

  #count(holder: Holder, characters: number): void {
    const by = characters - holder.outgoing;
    if (by === 0) return;
    const { tenant } = holder.address;
    const ofTenant = (this.#ofTenant.get(tenant) ?? 0) + by;
    if (ofTenant === 0) this.#ofTenant.delete(tenant);
    else this.#ofTenant.set(tenant, ofTenant);
    this.#all += by;
    holder.outgoing = characters;
  }
}

/** An actor that is counted. */
export interface Holder {
  readonly address: Address;
  /** Characters that are counted of it. */
  outgoing: number;
}

type Kind = Pick<ActorKind, 'outgoing'>;

/** As many characters are let in at a time whatever room there is: what is small is gone before it is much. */
const SMALL = 16 * 1024;
