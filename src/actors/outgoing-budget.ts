import type { Address } from '../store/port.js';
import type { ActorContext, ActorKind } from './kind.js';
import type { Overload } from './overload.js';

/** An addition of so few characters is always admitted: it is out before it is much. */
const ALWAYS_ADMITTED = 16 * 1024;

/** An actor whose outgoing characters are counted. */
export interface OutgoingHolder {
  readonly address: Address;
  /** Characters that are counted for it. */
  outgoing: number;
}

type Kind = Pick<ActorKind, 'outgoing'>;

/**
 * The bound of outgoing characters (see `ActorKind.outgoing`) over all actors in memory. A tenant may add half of what
 * is free, so that others always find room.
 */
export class OutgoingBudget {
  readonly #byTenant = new Map<string, number>();
  #total = 0;

  /** `limit`: characters of all tenants together. */
  constructor(
    private readonly limit: number,
    private readonly overload: Overload,
  ) {}

  /** Characters that are counted now. */
  get total(): number {
    return this.#total;
  }

  /** Returns how many characters a tenant may add at a time. */
  roomOf(tenant: string): number {
    const free = this.limit - this.#total - (this.#byTenant.get(tenant) ?? 0);
    return Math.max(ALWAYS_ADMITTED, free / 2);
  }

  /** Counts an actor's next context. Throws a `Refusal` (`unavailable`) if there is no room for what it adds. */
  admit(holder: OutgoingHolder, { outgoing }: Kind, context: ActorContext): void {
    if (outgoing === undefined) return;
    const characters = outgoing(context as never);
    const added = characters - holder.outgoing;
    const { tenant } = holder.address;
    if (added > ALWAYS_ADMITTED && added > this.roomOf(tenant)) {
      throw this.overload.refuse('outgoing', `too many messages of ${tenant} wait to become deliveries`);
    }
    this.#set(holder, characters);
  }

  /** Counts an actor's context as committed, whether or not there is room. */
  count(holder: OutgoingHolder, { outgoing }: Kind, context: ActorContext | undefined): void {
    if (outgoing === undefined) return;
    this.#set(holder, context === undefined ? 0 : outgoing(context as never));
  }

  /** Removes an actor from the count. */
  forget(holder: OutgoingHolder): void {
    this.#set(holder, 0);
  }

  #set(holder: OutgoingHolder, characters: number): void {
    const change = characters - holder.outgoing;
    if (change === 0) return;
    const { tenant } = holder.address;
    const ofTenant = (this.#byTenant.get(tenant) ?? 0) + change;
    if (ofTenant === 0) this.#byTenant.delete(tenant);
    else this.#byTenant.set(tenant, ofTenant);
    this.#total += change;
    holder.outgoing = characters;
  }
}
