import { presentable } from '../../untrusted/text.js';

/** An element of a notification that was not taken. */
export interface RefusedElement {
  /** Place in the list as it was sent, from 0 on. */
  readonly index: number;
  /** The `id` as it was sent, cut to 256 characters; null if it is no string. */
  readonly id: string | null;
  readonly message: string;
}

/** The elements of a notification that were not taken. */
export interface RefusedElements {
  /** Number of all of them. */
  readonly count: number;
  /** The first of them, as many as an answer lists. */
  readonly listed: readonly RefusedElement[];
}

/** Maximum characters of the list: the answer to a small body with many faults must not be many times as large. */
const LISTED_LIMIT = 256 * 1024;
/** Characters of an element in the list beside its id and its message, at most. */
const BESIDE = 48;
/** Maximum characters of an id: as many as the id of a server has. */
const LONGEST_ID = 256;

/** Collects the elements that are not taken. */
export class RefusedList implements RefusedElements {
  readonly listed: RefusedElement[] = [];
  count = 0;
  #room = LISTED_LIMIT;

  /** `id` is as it was sent. */
  add(index: number, id: unknown, message: string): void {
    this.count += 1;
    if (this.#room <= 0) return;
    const element = { index, id: shownId(id), message: presentable(message) };
    this.#room -= BESIDE + (element.id?.length ?? 0) + element.message.length;
    if (this.#room >= 0) this.listed.push(element);
  }

  /** Adds what another list has. */
  addAll({ count, listed }: RefusedElements): void {
    for (const { index, id, message } of listed) this.add(index, id, message);
    this.count += count - listed.length;
  }
}

function shownId(id: unknown): string | null {
  if (typeof id !== 'string') return null;
  return id.length <= LONGEST_ID ? id : `${id.slice(0, LONGEST_ID - 1)}…`.toWellFormed();
}
