import { overloaded, type Refusal } from '../../errors.js';

/** The pool of requests being worked on, and the pool of those that wait for the chain. */
export type PoolName = 'working' | 'waiting';

/** A client address, a tenant, or a tenant of one client address, and the permits of its requests. */
export class Party {
  working = 0;
  waiting = 0;
  /** Characters of long answers that are being sent. */
  answers = 0;
  /** Requests and connections that refer to it. The last one removes it. */
  uses = 0;

  constructor(readonly key: string) {}
}

/** Parties by key. Unused parties are removed. */
export class Parties<P extends Party> {
  private readonly known = new Map<string, P>();

  constructor(private readonly make: (key: string) => P) {}

  /** Returns the party with a key, and counts a use. */
  use(key: string): P {
    let party = this.known.get(key);
    if (party === undefined) this.known.set(key, (party = this.make(key)));
    party.uses += 1;
    return party;
  }

  /** Ends a use. Removes the party after its last use. */
  drop(party: P): void {
    party.uses -= 1;
    if (party.uses === 0) this.known.delete(party.key);
  }
}

/** The parties that a permit counts for. */
export interface Holder {
  readonly client: Party;
  /** The tenant that the request names, counted for this client address only. */
  readonly tenantOfClient: Party | undefined;
  /** The tenant over all client addresses. undefined if the caller has shown no credential of the tenant. */
  readonly tenant: Party | undefined;
}

/**
 * Permits for concurrent requests, shared by dynamic thresholds. A client address, and a tenant over all addresses, may
 * each hold as many permits as are free: a single one gets half of them, k competing ones get equal shares, and there is
 * always room for a new one. The same rule holds for the tenants of one client address: each may hold as many permits as the
 * address could still take. A request without a credential of the tenant it names does not count for the tenant at other
 * addresses.
 */
export class Pool {
  private held = 0;

  /** `what` names the requests in messages. */
  constructor(
    private readonly name: PoolName,
    private readonly most: number,
    private readonly what: string,
  ) {}

  /** Takes a permit. Throws `Refusal('unavailable')` that names the limit, and takes none then. */
  enter(holder: Holder): void {
    const free = this.most - this.held;
    if (free <= 0) throw this.refusal('');
    if (holder.client[this.name] >= free) throw this.refusal(' of this client address');
    this.checkTenant(holder, free, holder.client[this.name]);
    this.held += 1;
    this.count(holder, 1);
  }

  /** Frees a permit. */
  leave(holder: Holder): void {
    this.held -= 1;
    this.count(holder, -1);
  }

  /** Counts a permit, already taken for its client, for a tenant too. Throws as `enter`. */
  enterTenant({ client, tenantOfClient, tenant }: Holder): void {
    // Checks the limits as of before the permit was taken.
    this.checkTenant({ client, tenantOfClient, tenant }, this.most - this.held + 1, client[this.name] - 1);
    if (tenantOfClient !== undefined) tenantOfClient[this.name] += 1;
    if (tenant !== undefined) tenant[this.name] += 1;
  }

  private checkTenant({ tenantOfClient, tenant }: Holder, free: number, ofClient: number): void {
    if (tenantOfClient !== undefined && tenantOfClient[this.name] >= free - ofClient)
      throw this.refusal(' of this tenant at this client address');
    if (tenant !== undefined && tenant[this.name] >= free) throw this.refusal(' of this tenant');
  }

  private count({ client, tenantOfClient, tenant }: Holder, change: 1 | -1): void {
    client[this.name] += change;
    if (tenantOfClient !== undefined) tenantOfClient[this.name] += change;
    if (tenant !== undefined) tenant[this.name] += change;
  }

  private refusal(whose: string): Refusal {
    return overloaded(`too many ${this.what}${whose}`);
  }
}
