import type { Item } from './bytes.js';

/** First bytes of short bytes and of short lists. */
const [BYTES, LIST] = [0x80, 0xc0];
/** Longest short content. */
const SHORT = 55;

/**
 * Returns the RLP of an item (yellow paper, appendix B), written into one buffer. `@ethereumjs/rlp` copies each item once for
 * each list around it: that was a third of the time for a proof. It also passes the items of a list as the arguments of one call, and
 * fails for long lists. `allocate` gives the buffer: Node.js has a faster way than browsers.
 */
export function rlpOf(item: Item, allocate = (size: number) => new Uint8Array(size)): Uint8Array {
  const bytes = allocate(sizeOf(item));
  write(item, bytes, 0);
  return bytes;
}

function sizeOf(item: Item): number {
  const size = contentSize(item);
  return isItself(item) ? 1 : 1 + lengthSize(size) + size;
}

function contentSize(item: Item): number {
  if (item instanceof Uint8Array) return item.length;
  let size = 0;
  for (const one of item) size += sizeOf(one);
  return size;
}

/** A small byte is its own encoding. */
function isItself(item: Item): item is Uint8Array {
  return item instanceof Uint8Array && item.length === 1 && item[0]! < BYTES;
}

/** Bytes of a length after the first byte. */
function lengthSize(size: number): number {
  let bytes = 0;
  for (let rest = size > SHORT ? size : 0; rest > 0; rest >>>= 8) bytes += 1;
  return bytes;
}

/** Writes an item at a place. Returns the place after it. */
function write(item: Item, into: Uint8Array, place: number): number {
  let at = place;
  if (!isItself(item)) {
    const size = contentSize(item);
    const first = item instanceof Uint8Array ? BYTES : LIST;
    const length = lengthSize(size);
    into[at++] = first + (length === 0 ? size : SHORT + length);
    for (let shift = 8 * (length - 1); shift >= 0; shift -= 8) into[at++] = size >>> shift;
  }
  if (!(item instanceof Uint8Array)) {
    for (const one of item) at = write(one, into, at);
    return at;
  }
  into.set(item, at);
  return at + item.length;
}
