import { Refusal } from '../errors.js';

/** Most problems that one answer names. */
const SHOWN = 20;

/** Collects everything wrong with a body, so that one answer names it all. */
export class Problems {
  readonly #found: string[] = [];
  #more = 0;

  /** `path` is the member, as in `contextResponses[0].contextElement`; `what` says what is allowed. */
  add(path: string, what: string): void {
    if (this.#found.length < SHOWN) this.#found.push(`${path}: ${what}`);
    else this.#more += 1;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  /** Throws the refusal that names the problems, where there are any. */
  refuse(): void {
    if (this.#found.length === 0) return;
    const more = this.#more > 0 ? `; and ${this.#more} more` : '';
    throw new Refusal('bad-request', this.#found.join('; ') + more);
  }
}

/** A JSON object, neither an array nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object that JSON gave: never one that it inherited. */
export function member(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
