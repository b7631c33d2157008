import { type Lengths, sizeOf } from './document-size.js';
import type { ActorLimits } from './overload.js';
import { SeenLately } from './seen-lately.js';

/** What is known here of an actor in memory. */
export interface Resident {
  readonly id: string;
  /** True after each use. A round of eviction sets it to false. */
  touched: boolean;
  /** True if it leaves the memory after its first use: see `Residents.add`. */
  isPassing: boolean;
  /** True if it can leave the memory without loss. */
  readonly idle: boolean;
  /** Lengths of the texts of its stored document. */
  readonly lengths: Lengths;
}

/** Additions to the map of passing actors, beside twice its size, before a new map takes its place. */
const ADDED = 256;

/**
 * The actors in memory. Once there are about as many as allowed, an actor stays only if it is used twice within some
 * `limits.actors` uses of others: each actor that stays for a while costs V8 two copies of it.
 */
export class Residents<A extends Resident> {
  readonly #kept = new Map<string, A>();
  /**
   * The actors on their first use. It is replaced before it is old: V8 takes what an old `Map` held before it grew, or was cleaned,
   * for used until it collects old objects.
   */
  #passing = new Map<string, A>();
  /** Number of actors that the map had. */
  #added = 0;
  readonly #seen: SeenLately;
  /** Characters of the documents of the actors. */
  #characters = 0;

  constructor(
    private readonly limits: Pick<ActorLimits, 'actors' | 'characters'>,
    private readonly options: {
      /** True: no actor leaves after its first use, because loading it again costs more than memory does. */
      readonly keepsAll: boolean;
      /** Called with each actor that leaves. */
      readonly forgotten: (activation: A) => void;
    },
  ) {
    this.#seen = new SeenLately(limits.actors);
  }

  get size(): number {
    return this.#kept.size + this.#passing.size;
  }

  get characters(): number {
    return this.#characters;
  }

  get(id: string): A | undefined {
    return this.#kept.get(id) ?? this.#passing.get(id);
  }

  *all(): Generator<A, void> {
    yield* this.#kept.values();
    yield* this.#passing.values();
  }

  /** Adds an actor before its first use, and makes room for it if it stays. */
  add(activation: A): void {
    if (this.options.keepsAll || !this.#isNearlyFull() || this.#seen.add(activation.id))
      return this.#keep(activation);
    if (this.#added > 2 * this.#passing.size + ADDED) {
      this.#passing = new Map(this.#passing);
      this.#added = this.#passing.size;
    }
    activation.isPassing = true;
    this.#passing.set(activation.id, activation);
    this.#added += 1;
  }

  /** Called after the first use of a passing actor. It stays if it is not idle. `isStored`: its document has all that it knows. */
  used(id: string, isStored: boolean): void {
    const activation = this.#passing.get(id)!;
    if (activation.idle && isStored) return this.forget(activation);
    this.#passing.delete(id);
    activation.isPassing = false;
    this.#keep(activation);
  }

  forget(activation: A): void {
    (activation.isPassing ? this.#passing : this.#kept).delete(activation.id);
    this.#characters -= sizeOf(activation.lengths);
    this.options.forgotten(activation);
  }

  /** Called when a document has become longer by so many characters; negative: shorter. */
  resized(change: number): void {
    this.#characters += change;
    if (change > 0 && this.#characters > this.limits.characters) this.#makeRoom();
  }

  #keep(activation: A): void {
    this.#makeRoom();
    this.#kept.set(activation.id, activation);
  }

  /** `#makeRoom` leaves so many that it stays true. */
  #isNearlyFull(): boolean {
    const { actors, characters } = this.limits;
    return this.#kept.size > 0.95 * actors || this.#characters > 0.95 * characters;
  }

  #isOver(actors: number): boolean {
    return this.#kept.size > actors || this.#characters > this.limits.characters;
  }

  /**
   * Evicts idle actors that were not used since the last round (second chance). If none is idle the map grows; the edge
   * bounds how far. A 64th more than needed is evicted, as a `Map` is searched past all entries deleted at its front.
   */
  #makeRoom(): void {
    const { actors } = this.limits;
    if (!this.#isOver(actors - 1)) return;
    const ahead = Math.floor(actors / 64);
    let rounds = Math.min(this.#kept.size, 64 + 2 * ahead);
    for (const [id, activation] of this.#kept) {
      if (rounds === 0 || !this.#isOver(actors - 1 - ahead)) return;
      rounds -= 1;
      if (activation.idle && !activation.touched) {
        this.forget(activation);
        continue;
      }
      this.#kept.delete(id);
      activation.touched = false;
      this.#kept.set(id, activation);
    }
  }
}
