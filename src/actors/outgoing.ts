import type { Address } from '../store/port.js';
import { overloaded } from './committer.js';
import type { ActorKind } from './kind.js';

/**
 * Characters of documents with much on its way out, which stay in memory until it is out. A tenant may have as many as
 * are free for others: one alone half of all.
 */
export class Outgoing {
  readonly #ofTenant = new Map<string, number>();
  #all = 0;

  /** `most`: characters of all tenants together. */
  constructor(private readonly most: number) {}

  /** How many characters a tenant may add in one document. */
  roomOf(tenant: string): number {
    return Math.max(SMALL, this.most - this.#all - (this.#ofTenant.get(tenant) ?? 0));
  }

  /** Counts an actor with a hot text of that length from now on; throws a `Refusal` where there is no room for it. */
  admit(holder: Holder, kind: Pick<ActorKind, 'sends'>, hot: number): void {
    if (kind.sends !== true) return;
    const more = hot - holder.outgoing;
    if (hot > SMALL && more > SMALL && more > this.roomOf(holder.address.tenant)) {
      throw overloaded(`too many messages of ${holder.address.tenant} wait to be handed over`);
    }
    this.count(holder, kind, hot);
  }

  /** Counts an actor with a hot text of that length, whatever room there is. */
  count(holder: Holder, kind: Pick<ActorKind, 'sends'>, hot: number): void {
    if (kind.sends !== true) return;
    const counted = hot > SMALL ? hot : 0;
    const by = counted - holder.outgoing;
    if (by === 0) return;
    const { tenant } = holder.address;
    const ofTenant = (this.#ofTenant.get(tenant) ?? 0) + by;
    if (ofTenant === 0) this.#ofTenant.delete(tenant);
    else this.#ofTenant.set(tenant, ofTenant);
    this.#all += by;
    holder.outgoing = counted;
  }
}

/** An actor that is counted. */
export interface Holder {
  readonly address: Address;
  /** Characters that are counted of it. */
  outgoing: number;
}

/** Hot texts up to this length are not counted, and always let in, characters. */
const SMALL = 256 * 1024;
