import { Refusal } from '../../errors.js';

/** The pools that places are in: that of the requests being worked on, that of those waiting for the chain. */
export type PoolName = 'working' | 'waiting';

/** A client address, a tenant, or a tenant of one client address, and the places that its requests hold. */
export class Party {
  working = 0;
  waiting = 0;
  /** Characters of long answers that are being sent. */
  answers = 0;
  /** Requests and connections that refer to it; it is forgotten with the last. */
  uses = 0;

  constructor(readonly key: string) {}
}

/** Parties by their keys, for as long as they are used. */
export class Parties<P extends Party> {
  private readonly known = new Map<string, P>();

  constructor(private readonly make: (key: string) => P) {}

  /** The party with this key, used once more. */
  use(key: string): P {
    let party = this.known.get(key);
    if (party === undefined) this.known.set(key, (party = this.make(key)));
    party.uses += 1;
    return party;
  }

  /** The party is used once less. */
  drop(party: P): void {
    party.uses -= 1;
    if (party.uses === 0) this.known.delete(party.key);
  }
}

/** Whose a place is. */
export interface Holder {
  readonly client: Party;
  /** The tenant that the request names, among the requests of the same client address. */
  readonly tenantHere: Party | undefined;
  /** The tenant over all client addresses, where the caller has proven that he speaks for it. */
  readonly tenant: Party | undefined;
}

/**
 * Places that requests hold at the same time, shared by dynamic thresholds: a client address, and a tenant over all
 * addresses, may each hold as many places as are free. So one alone gets half of them, k that want all get an equal share
 * each, and a newcomer always finds room. Within a client address the same holds for the tenants that its requests name:
 * each may hold as many as the address could still take. A stranger who names a tenant without proof takes nothing from it
 * at other addresses.
 */
export class Pool {
  private held = 0;

  /** `what` says of what there can be too many. */
  constructor(
    private readonly name: PoolName,
    private readonly most: number,
    private readonly what: string,
  ) {}

  /** Takes a place. Throws `Refusal('unavailable')` that names the limit; nothing is taken then. */
  enter(holder: Holder): void {
    const free = this.most - this.held;
    if (free <= 0) throw this.refusal('');
    if (holder.client[this.name] >= free) throw this.refusal(' of this client address');
    this.checkTenant(holder, free, holder.client[this.name]);
    this.held += 1;
    this.count(holder, 1);
  }

  /** Gives a place back. */
  leave(holder: Holder): void {
    this.held -= 1;
    this.count(holder, -1);
  }

  /** Checks and counts a place that its client holds already for a tenant, too. Throws as `enter`. */
  enterTenant({ client, tenantHere, tenant }: Holder): void {
    // The limits are those before the place was taken.
    this.checkTenant({ client, tenantHere, tenant }, this.most - this.held + 1, client[this.name] - 1);
    if (tenantHere !== undefined) tenantHere[this.name] += 1;
    if (tenant !== undefined) tenant[this.name] += 1;
  }

  private checkTenant({ tenantHere, tenant }: Holder, free: number, ofClient: number): void {
    if (tenantHere !== undefined && tenantHere[this.name] >= free - ofClient)
      throw this.refusal(' of this tenant at this client address');
    if (tenant !== undefined && tenant[this.name] >= free) throw this.refusal(' of this tenant');
  }

  private count({ client, tenantHere, tenant }: Holder, change: 1 | -1): void {
    client[this.name] += change;
    if (tenantHere !== undefined) tenantHere[this.name] += change;
    if (tenant !== undefined) tenant[this.name] += change;
  }

  private refusal(whose: string): Refusal {
    const message = `too many ${this.what}${whose}; nothing was done, try again in a second`;
    return new Refusal('unavailable', message);
  }
}
