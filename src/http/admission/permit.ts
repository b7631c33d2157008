import { overloaded, Refusal } from '../../errors.js';
import type { TenantRate } from './tenant-rate.js';
import { type Holder, Parties, Party, type Pool } from './shares.js';

/** A client address. */
export class Client extends Party {
  /** The tenants that its requests name. */
  readonly tenants = new Parties((id) => new Party(id));
  /** Bytes of its bodies that are being received. */
  bytes = 0;
}

/** The limits that all requests share. */
export interface Limits {
  readonly clients: Parties<Client>;
  /** Tenants, each over all client addresses. */
  readonly tenants: Parties<Party>;
  readonly working: Pool;
  readonly waiting: Pool;
  /** undefined: tenants may send any number of requests. */
  readonly rate: TenantRate | undefined;
  /** Bytes of the bodies that are being received. */
  readonly bodies: { readonly most: number; held: number };
  /** Characters of the long answers that are being sent. */
  readonly answers: { readonly most: number; held: number };
}

/** Longest answer, characters, that is not counted: the number of permits limits short answers. */
const SHORT = 64 * 1024;

/**
 * A request's permit, held until its work is done and its answer is read: an unread answer uses memory, and so does work for
 * a client that is gone. A request that waits for its body or for the chain has no permit of the working pool.
 */
export class Permit implements Holder {
  tenantOfClient: Party | undefined = undefined;
  tenant: Party | undefined = undefined;
  /** The pool that the permit is taken from; undefined while the body arrives. */
  private pool: Pool | undefined = undefined;
  /** Open parts of the request: the work and the answer. */
  private open = 2;
  /** Counted characters of the answer. */
  private answer = 0;

  /** Takes a permit of the working pool, unless the request is `exempt`. Throws `Refusal('unavailable')`, as its methods do. */
  constructor(
    readonly client: Client,
    private readonly limits: Limits,
    private readonly exempt: boolean,
  ) {
    if (!exempt) this.resume();
    client.uses += 1;
  }

  /**
   * Counts the request for a tenant too. `proven` means that the caller has shown a credential of the tenant. Only the
   * first call counts. Throws `Refusal('too-many-requests')` above the rate of the tenant.
   */
  countForTenant(id: string, proven: boolean): void {
    if (this.pool === undefined || this.tenantOfClient !== undefined) return;
    this.limits.rate?.count(id, proven);
    const tenantOfClient = this.client.tenants.use(id);
    const tenant = proven ? this.limits.tenants.use(id) : undefined;
    try {
      this.pool.enterTenant({ client: this.client, tenantOfClient, tenant });
    } catch (error) {
      this.drop(tenantOfClient, tenant);
      throw error;
    }
    this.tenantOfClient = tenantOfClient;
    this.tenant = tenant;
  }

  /** Frees the permit while the request waits for its client, for example for its body. */
  pause(): void {
    this.pool?.leave(this);
    this.pool = undefined;
  }

  /** Takes a permit of the working pool again. */
  resume(): void {
    if (this.exempt) return;
    this.limits.working.enter(this);
    this.pool = this.limits.working;
  }

  /** Moves the request to the pool of those that wait for the chain. */
  waitForChain(): void {
    if (this.pool !== this.limits.working) return;
    this.limits.waiting.enter(this);
    this.limits.working.leave(this);
    this.pool = this.limits.waiting;
  }

  /** Counts received bytes of the body. Counts nothing if it throws. */
  receive(bytes: number): void {
    const { bodies } = this.limits;
    const free = bodies.most - bodies.held;
    // The rule of the permits: a client address may hold as much as is free.
    if (this.client.bytes + bytes > free) {
      const whose = bytes > free ? '' : ' from this client address';
      throw overloaded(`too many bytes are being received${whose} at the same time`);
    }
    bodies.held += bytes;
    this.client.bytes += bytes;
  }

  /** Counts bytes of the body that are no longer in memory. */
  release(bytes: number): void {
    this.limits.bodies.held -= bytes;
    this.client.bytes -= bytes;
  }

  /**
   * Counts the characters of the answer, in place of an earlier number, until the answer is read. A client address may
   * hold as many as are free, and each of its tenants as many as the address could still take. Throws above that, and
   * counts nothing then.
   */
  reserveAnswer(characters: number): void {
    if (this.answer > 0) this.countAnswer(-this.answer);
    if (characters <= SHORT) return;
    const { client, tenantOfClient, tenant, limits } = this;
    const free = limits.answers.most - limits.answers.held;
    const exceeded =
      client.answers + characters > free ||
      (tenantOfClient !== undefined && tenantOfClient.answers + characters > free - client.answers) ||
      (tenant !== undefined && tenant.answers + characters > free);
    if (exceeded) {
      throw new Refusal(
        'unavailable',
        'too many long answers of this client address or tenant are made or wait to be read; nothing was done, try again when those are read',
      );
    }
    this.countAnswer(characters);
  }

  /** As `reserveAnswer`, for an answer that is made already: it refuses nothing, and counts what it is. */
  keepAnswer(characters: number): void {
    const counted = characters <= SHORT ? 0 : characters;
    this.countAnswer(counted - this.answer);
  }

  private countAnswer(change: number): void {
    this.answer += change;
    this.limits.answers.held += change;
    for (const party of [this.client, this.tenantOfClient, this.tenant]) {
      if (party !== undefined) party.answers += change;
    }
  }

  /** Called once after the work, and once after the answer. The second call frees everything. */
  end(): void {
    this.open -= 1;
    if (this.open > 0) return;
    if (this.answer > 0) this.countAnswer(-this.answer);
    this.pause();
    if (this.tenantOfClient !== undefined) this.drop(this.tenantOfClient, this.tenant);
    this.limits.clients.drop(this.client);
  }

  private drop(tenantOfClient: Party, tenant: Party | undefined): void {
    this.client.tenants.drop(tenantOfClient);
    if (tenant !== undefined) this.limits.tenants.drop(tenant);
  }
}
