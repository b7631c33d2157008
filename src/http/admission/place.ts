import { Refusal } from '../../errors.js';
import { type Holder, Parties, Party, type Pool } from './shares.js';

/** A client address. */
export class Client extends Party {
  /** The tenants that its requests name. */
  readonly tenants = new Parties((id) => new Party(id));
  /** Of bodies that are being received. */
  bytes = 0;
}

/** What all requests share. */
export interface Limits {
  readonly clients: Parties<Client>;
  /** Tenants over all client addresses. */
  readonly tenants: Parties<Party>;
  readonly working: Pool;
  readonly waiting: Pool;
  /** Bytes of the bodies that are being received. */
  readonly bodies: { readonly most: number; held: number };
  /** Characters of the long answers that are being sent. */
  readonly answers: { readonly most: number; held: number };
}

/** Characters up to which an answer is not counted: places are bounded, and so are short answers. */
const SHORT = 64 * 1024;

/**
 * A request's place, held while the service works for it and until its answer is read: an answer that nobody reads holds
 * memory, and so does the work for a client that has gone. Who waits for the client or for the chain holds none of the
 * general places.
 */
export class Place implements Holder {
  tenantHere: Party | undefined = undefined;
  tenant: Party | undefined = undefined;
  /** Where it is held at present. */
  private pool: Pool | undefined = undefined;
  /** The work, and the answer. */
  private holds = 2;
  /** Characters that the answer holds. */
  private answer = 0;

  /** Takes a general place, unless the request is `exempt`. Throws `Refusal('unavailable')`, as its methods do. */
  constructor(
    readonly client: Client,
    private readonly limits: Limits,
    private readonly exempt: boolean,
  ) {
    if (!exempt) this.resume();
    client.uses += 1;
  }

  /**
   * Counts the request for a tenant as well; `proven` where the caller has shown that he speaks for it. Only the first
   * tenant counts.
   */
  nameTenant(id: string, proven: boolean): void {
    if (this.pool === undefined || this.tenantHere !== undefined) return;
    const tenantHere = this.client.tenants.use(id);
    const tenant = proven ? this.limits.tenants.use(id) : undefined;
    try {
      this.pool.enterTenant({ client: this.client, tenantHere, tenant });
    } catch (error) {
      this.drop(tenantHere, tenant);
      throw error;
    }
    this.tenantHere = tenantHere;
    this.tenant = tenant;
  }

  /** Only the client is waited for, as for its body: the place is another's meanwhile. */
  pause(): void {
    this.pool?.leave(this);
    this.pool = undefined;
  }

  /** The body is whole. */
  resume(): void {
    if (this.exempt) return;
    this.limits.working.enter(this);
    this.pool = this.limits.working;
  }

  /** From here on the request waits for the chain, and counts among those that do. */
  waitForChain(): void {
    if (this.pool !== this.limits.working) return;
    this.limits.waiting.enter(this);
    this.limits.working.leave(this);
    this.pool = this.limits.waiting;
  }

  /** So many bytes of the body have arrived, and are held. Nothing is counted where it throws. */
  receive(bytes: number): void {
    const { bodies } = this.limits;
    const free = bodies.most - bodies.held;
    // The rule of the places: a client address may hold as much as is free.
    if (this.client.bytes + bytes > free) {
      const whose = bytes > free ? '' : ' from this client address';
      throw new Refusal(
        'unavailable',
        `too many bytes are being received${whose} at the same time; nothing was done, try again in a second`,
      );
    }
    bodies.held += bytes;
    this.client.bytes += bytes;
  }

  /** So many bytes are not held any more. */
  giveBack(bytes: number): void {
    this.limits.bodies.held -= bytes;
    this.client.bytes -= bytes;
  }

  /**
   * The answer holds so many characters from now on, until another number is told or it is read. A client address may
   * hold as many as are free, and each of its tenants as many as the address could still take. Throws where that is
   * passed; what was held before is given back then.
   */
  answerHolds(characters: number): void {
    if (this.answer > 0) this.countAnswer(-this.answer);
    if (characters <= SHORT) return;
    const { client, tenantHere, tenant, limits } = this;
    const free = limits.answers.most - limits.answers.held;
    const passed =
      client.answers + characters > free ||
      (tenantHere !== undefined && tenantHere.answers + characters > free - client.answers) ||
      (tenant !== undefined && tenant.answers + characters > free);
    if (passed) {
      throw new Refusal(
        'unavailable',
        'too many long answers of this client address or tenant are made or wait to be read; nothing was done, try again when those are read',
      );
    }
    this.countAnswer(characters);
  }

  private countAnswer(change: number): void {
    this.answer += change;
    this.limits.answers.held += change;
    for (const party of [this.client, this.tenantHere, this.tenant]) {
      if (party !== undefined) party.answers += change;
    }
  }

  /** The work, or the answer, is over. */
  end(): void {
    this.holds -= 1;
    if (this.holds > 0) return;
    if (this.answer > 0) this.countAnswer(-this.answer);
    this.pause();
    if (this.tenantHere !== undefined) this.drop(this.tenantHere, this.tenant);
    this.limits.clients.drop(this.client);
  }

  private drop(tenantHere: Party, tenant: Party | undefined): void {
    this.client.tenants.drop(tenantHere);
    if (tenant !== undefined) this.limits.tenants.drop(tenant);
  }
}
