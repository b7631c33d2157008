import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

// lmdb maps its file into memory and trusts every byte: a page that is missing ends the process with SIGBUS, and a number
// that is not an offset with SIGSEGV. This reads the file as `mdb.c` of lmdb lays it out (MDB_DATA_VERSION 2), before lmdb
// opens it. A page is a header, offsets of its nodes, and the nodes; a branch node names a page, and a leaf node has a key
// with a value, with the first of several pages that hold the value, or with the root of a table.

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;

const HEADER = { flags: 18, lower: 20, upper: 22, pages: 20, size: 24 };
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const META = 8;

const META_FIELD = { magic: 24, version: 28, free: 48, main: 96, lastPage: 144, txn: 152, size: 168 };
const TREE = { pad: 0, depth: 6, root: 40, size: 48 };

const NODE_SIZE = 8;
const ON_PAGES = 1;
const TABLE = 2;
/** Bytes of a leaf node that name the pages of its value. */
const PAGES_SIZE = 24;

/** The root of a table without entries: the first bytes of -1. */
const NO_PAGE = 2 ** 48 - 1;
/** Deeper than any tree: a page has two nodes at least. */
const DEEPEST = 40;

/** Pages read between checks of the time. */
const STRETCH = 256;

/** A page that does not fit, in words. */
class Damaged extends Error {}

/** The state of a file that lmdb is about to open. */
export type FileState =
  | { readonly is: 'whole' }
  /** `why` is the end of a sentence. */
  | { readonly is: 'damaged'; readonly why: string }
  /** Another version of lmdb wrote it. */
  | { readonly is: 'foreign'; readonly version: number };

/**
 * Reads the structure of lmdb's file. Stops after `budgetMs` with what it knows until then: about 300,000 pages of 4 kB in
 * a second. Throws the error of the file system, ENOENT for a missing file.
 */
export function checkFile(path: string, budgetMs: number): FileState {
  const file = openSync(path, 'r');
  try {
    return stateOf(file, performance.now() + budgetMs);
  } catch (error) {
    if (error instanceof Damaged) return { is: 'damaged', why: error.message };
    throw error;
  } finally {
    closeSync(file);
  }
}

function stateOf(file: number, deadline: number): FileState {
  const { size } = fstatSync(file);
  // Files have the order of bytes of the machine that wrote them.
  if (endianness() !== 'LE') return { is: 'whole' };
  if (size === 0) throw new Damaged('it is empty');
  const first = metaAt(file, 0);
  const version = first.readUInt32LE(META_FIELD.version) & 0xffff;
  if (version !== DATA_VERSION) return { is: 'foreign', version };
  const pageSize = first.readUInt32LE(META_FIELD.free + TREE.pad);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0)
    throw new Damaged(`its pages have ${pageSize} bytes`);
  const second = metaAt(file, pageSize);
  if (second.readUInt32LE(META_FIELD.version) !== first.readUInt32LE(META_FIELD.version))
    throw new Damaged('its two headers differ');
  const newest =
    first.readBigUInt64LE(META_FIELD.txn) > second.readBigUInt64LE(META_FIELD.txn) ? first : second;
  const end = Math.min(numberAt(newest, META_FIELD.lastPage) + 1, Math.floor(size / pageSize));
  const walk: Walk = { file, pageSize, end, deadline, left: STRETCH, pages: [], level: 0 };
  for (const tree of [META_FIELD.free, META_FIELD.main]) walkTable(walk, newest, tree);
  return { is: 'whole' };
}

function metaAt(file: number, position: number): Buffer {
  const meta = Buffer.alloc(META_FIELD.size);
  const length = readSync(file, meta, 0, meta.length, position);
  if (length < meta.length) throw new Damaged('it ends within its headers');
  if (meta.readUInt16LE(HEADER.flags) !== META || meta.readUInt32LE(META_FIELD.magic) !== MAGIC)
    throw new Damaged('it does not begin as a file of lmdb');
  return meta;
}

/** A search through the trees of a file. */
interface Walk {
  readonly file: number;
  readonly pageSize: number;
  /** Number of pages. */
  readonly end: number;
  readonly deadline: number;
  /** Pages until the next check of the time. */
  left: number;
  /** The bytes of the pages from the root down to the one that is read; those of a level are used again. */
  readonly pages: Buffer[];
  /** The level of the next page. */
  level: number;
}

/** Follows a table from its record, which a header or a leaf node has. */
function walkTable(walk: Walk, buffer: Buffer, at: number): void {
  const root = numberAt(buffer, at + TREE.root);
  const depth = buffer.readUInt16LE(at + TREE.depth);
  if (root === NO_PAGE && depth === 0) return;
  if (depth === 0 || depth > DEEPEST) throw new Damaged(`a table is ${depth} pages deep`);
  walkPage(walk, root, depth);
}

/** Checks a page of a tree and those below it. `depth`: 1 for a leaf. */
function walkPage(walk: Walk, number: number, depth: number): void {
  if (isOver(walk)) return;
  const page = pageAt(walk, number);
  walk.level += 1;
  const flags = page.readUInt16LE(HEADER.flags);
  if (flags !== (depth === 1 ? LEAF : BRANCH)) throw new Damaged(`page ${number} is of another kind`);
  const [lower, upper] = [page.readUInt16LE(HEADER.lower), page.readUInt16LE(HEADER.upper)];
  const space = walk.pageSize - HEADER.size;
  if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > space)
    throw new Damaged(`page ${number} has no nodes`);
  for (let pointer = HEADER.size; pointer < HEADER.size + lower; pointer += 2) {
    const offset = page.readUInt16LE(pointer);
    const node = HEADER.size + offset;
    const keyAt = node + NODE_SIZE;
    if (offset < upper || keyAt > walk.pageSize) throw new Damaged(`page ${number} has a node outside`);
    const dataAt = keyAt + page.readUInt16LE(node + 6);
    if (depth > 1) {
      if (dataAt > walk.pageSize) throw new Damaged(`page ${number} has a key outside`);
      walkPage(walk, page.readUIntLE(node, 6), depth - 1);
    } else checkLeafNode(walk, page, number, node, dataAt);
  }
  walk.level -= 1;
}

function checkLeafNode(walk: Walk, page: Buffer, number: number, node: number, dataAt: number): void {
  const length = page.readUInt32LE(node);
  const flags = page.readUInt16LE(node + 4);
  const inPage = flags === ON_PAGES ? PAGES_SIZE : length;
  if (dataAt + inPage > walk.pageSize) throw new Damaged(`page ${number} has a value outside`);
  if (flags === 0) return;
  if (flags === ON_PAGES) checkPages(walk, numberAt(page, dataAt), numberAt(page, dataAt + 16), length);
  else if (flags === TABLE && length === TREE.size) walkTable(walk, page, dataAt);
  else throw new Damaged(`page ${number} has a node of another kind`);
}

/** Checks the pages of a long value; the first alone has a header. */
function checkPages(walk: Walk, first: number, count: number, length: number): void {
  if (isOver(walk)) return;
  const page = pageAt(walk, first);
  const isFirst = page.readUInt16LE(HEADER.flags) === OVERFLOW && page.readUInt32LE(HEADER.pages) === count;
  const room = count * walk.pageSize - HEADER.size;
  if (!isFirst || room < length)
    throw new Damaged(`page ${first} does not begin the value that it is named for`);
  if (first + count > walk.end) throw new Damaged(`it ends before page ${first + count - 1}`);
}

function pageAt({ file, pageSize, end, pages, level }: Walk, number: number): Buffer {
  if (number < 2) throw new Damaged(`page ${number} is named as one of a table`);
  if (number >= end) throw new Damaged(`it ends before page ${number}`);
  const page = (pages[level] ??= Buffer.allocUnsafe(pageSize));
  if (readSync(file, page, 0, pageSize, number * pageSize) < pageSize)
    throw new Damaged(`it ends before page ${number}`);
  if (numberAt(page, 0) !== number) throw new Damaged(`page ${number} has the number of another`);
  return page;
}

/** True once the time is over. */
function isOver(walk: Walk): boolean {
  if (walk.left < 0) return true;
  walk.left -= 1;
  if (walk.left > 0) return false;
  walk.left = performance.now() > walk.deadline ? -1 : STRETCH;
  return walk.left < 0;
}

/** Returns a number of a page, of a transaction or of pages: 8 bytes, of which 6 are enough. */
function numberAt(buffer: Buffer, at: number): number {
  return buffer.readUIntLE(at, 6);
}
