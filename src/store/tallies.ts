import { addressOf, type Place, type Tally, type TallyQuery } from './port.js';

/** Returns the lines of a document's tags. undefined: it has no place. */
export function tagsOf(place: Pick<Place, 'tags'> | undefined): readonly string[] {
  return place === undefined || place.tags === '' ? [] : place.tags.split('\n');
}

/** Returns what the lines of a document are counted for: its kind, and its tenant in it. */
export function scopesOf(id: string): readonly [string, string] {
  const { kind, tenant } = addressOf(id);
  return [kind, `${kind}/${tenant}`];
}

/** How many documents have a line. `id`: of one of them. */
interface Counted {
  count: number;
  readonly id: string;
}

/** Counts the lines in the tags of places. */
export class Tallies {
  /** By kind, or kind and tenant: the counts by line. */
  readonly #counts = new Map<string, Map<string, Counted>>();

  /** Counts many documents with these tags. `id`: of one of them. */
  add(id: string, tags: string, count: number): void {
    for (const tag of tagsOf({ tags })) for (const scope of scopesOf(id)) this.#addTo(scope, tag, id, count);
  }

  /** Returns the counts: see `Store.tally`. */
  of({ kind, tenant, prefix = '', after = '', limit }: TallyQuery): readonly Tally[] {
    const counts = this.#counts.get(tenant === undefined ? kind : `${kind}/${tenant}`) ?? [];
    return Array.from(counts, ([tag, { count, id }]) => ({ tag, count, id }))
      .filter(({ tag }) => tag.startsWith(prefix) && tag > after)
      .toSorted((a, b) => (a.tag < b.tag ? -1 : 1))
      .slice(0, limit);
  }

  #addTo(scope: string, tag: string, id: string, count: number): void {
    let counts = this.#counts.get(scope);
    if (counts === undefined) this.#counts.set(scope, (counts = new Map<string, Counted>()));
    const known = counts.get(tag);
    if (known === undefined) counts.set(tag, { count, id });
    else known.count += count;
  }
}
