import type { Answer } from '../../../src/delivery/port.js';
import type { OutageKind } from './story.js';

/** How long an attempt at a receiver that hangs takes, ms. Not whole seconds: two things never happen at one time. */
const HANG_MS = 8_003;
const RETRY_AFTER_S = 5.003;

/** What an attempt meets. */
export interface Met {
  /** The answer; undefined: it hangs. */
  readonly answer: Answer | undefined;
  /** True if the receiver has read the message. */
  readonly isRead: boolean;
}

/** What the outages of the receivers of a story do to attempts. */
export class Outages {
  readonly #now = new Map<string, { readonly how: OutageKind; readonly until: number }>();

  begin(receiver: string, how: OutageKind, until: number): void {
    this.#now.set(receiver, { how, until });
  }

  /** Returns how a receiver is out at a time, ms since the epoch; undefined: it is not. */
  of(receiver: string, now: number): OutageKind | undefined {
    const outage = this.#now.get(receiver);
    return outage !== undefined && now < outage.until ? outage.how : undefined;
  }

  meet(receiver: string, now: number): Met {
    const how = this.of(receiver, now);
    switch (how) {
      case undefined:
        return { answer: { result: 'delivered', detail: '200' }, isRead: true };
      case 'gone':
        return { answer: { result: 'refused', detail: '410', status: 410 }, isRead: true };
      case 'hang':
        return { answer: undefined, isRead: false };
      case 'lost':
        return { answer: { result: 'retry', detail: 'reset' }, isRead: true };
      case 'busy':
        return { answer: { result: 'retry', detail: '429', retryAfterS: RETRY_AFTER_S }, isRead: false };
      case 'down':
      case 'reset':
        return { answer: { result: 'retry', detail: how }, isRead: false };
    }
  }
}

/** Attempts that hang until they time out. */
export class HangingAttempts {
  #all: { readonly until: number; readonly resolve: (answer: Answer) => void }[] = [];

  get count(): number {
    return this.#all.length;
  }

  /** When the first of them times out, ms since the epoch; Infinity without one. */
  get next(): number {
    return Math.min(Infinity, ...this.#all.map(({ until }) => until));
  }

  add(now: number): Promise<Answer> {
    return new Promise((resolve) => this.#all.push({ until: now + HANG_MS, resolve }));
  }

  /** Ends those whose time is over. */
  end(now: number): void {
    for (const one of this.#all)
      if (one.until <= now) one.resolve({ result: 'retry', detail: 'no answer in 8 s' });
    this.#all = this.#all.filter(({ until }) => until > now);
  }

  clear(): void {
    this.#all = [];
  }
}
