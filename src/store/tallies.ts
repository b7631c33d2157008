import { addressOf, type Place, type Tally, type TallyQuery } from './port.js';

/** How many documents have a line. `id`: of one of them. */
interface Counted {
  count: number;
  readonly id: string;
}

/** Counts the lines in the tags of places. */
export class Tallies {
  /** By kind, or kind and tenant, with the letter of the lines: the counts by line. */
  readonly #counts = new Map<string, Map<string, Counted>>();

  /** Counts a document in place of what it counted as before. undefined: it had, or has, no place. */
  replace(id: string, before: Place | undefined, after: Place | undefined): void {
    if (before?.tags === after?.tags) return;
    if (before !== undefined) this.#add(id, before, -1);
    if (after !== undefined) this.#add(id, after, 1);
  }

  /** Counts many documents with these tags. `id`: of one of them. */
  add(id: string, tags: string, count: number): void {
    this.#add(id, { tags }, count);
  }

  /** Returns the counts: see `Store.tally`. */
  of({ kind, tenant, letter }: TallyQuery): readonly Tally[] {
    const stem = tenant === undefined ? kind : `${kind}/${tenant}`;
    const scopes = letter === undefined ? this.#counts.keys() : [`${stem} ${letter}`];
    return [...scopes]
      .filter((scope) => scope.startsWith(`${stem} `))
      .flatMap((scope) =>
        Array.from(this.#counts.get(scope) ?? [], ([tag, { count, id }]) => ({ tag, count, id })),
      );
  }

  #add(id: string, { tags }: Pick<Place, 'tags'>, by: number): void {
    if (tags === '') return;
    const { kind, tenant } = addressOf(id);
    for (const tag of tags.split('\n')) {
      const letter = tag.charAt(0);
      this.#addTo(`${kind} ${letter}`, tag, id, by);
      this.#addTo(`${kind}/${tenant} ${letter}`, tag, id, by);
    }
  }

  #addTo(scope: string, tag: string, id: string, by: number): void {
    let counts = this.#counts.get(scope);
    if (counts === undefined) this.#counts.set(scope, (counts = new Map<string, Counted>()));
    const known = counts.get(tag);
    if (known === undefined) counts.set(tag, { count: by, id });
    else if (known.count + by !== 0) known.count += by;
    else {
      counts.delete(tag);
      if (counts.size === 0) this.#counts.delete(scope);
    }
  }
}
