/**
 * Remembers ids in a table of fixed size. An id is forgotten once another one has its place. Numbers, because V8 copies
 * strings that are kept.
 */
export class SeenLately {
  /** Hashes of ids, each at the place that its bits give. */
  readonly #hashes: Uint32Array;

  /** `most`: most of the last so many ids are remembered. */
  constructor(most: number) {
    this.#hashes = new Uint32Array(2 ** Math.ceil(Math.log2(2 * Math.max(most, 1))));
  }

  /** Adds an id. Returns true if it was remembered; rarely also if another one was. */
  add(id: string): boolean {
    const hash = fnv1a(id);
    const place = (hash ^ (hash >>> 16)) & (this.#hashes.length - 1);
    const isKnown = this.#hashes[place] === hash;
    this.#hashes[place] = hash;
    return isKnown;
  }
}

/** Returns the FNV-1a hash of the code units of a text. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
