import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../errors.js';

/** Encodings of an asset, best first. */
export const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** A file of the console's page, in memory. */
export interface Asset {
  readonly contentType: string;
  /** Weak: the variants share it. */
  readonly etag: string;
  /** True if the name holds a hash of the content: the file of this name never changes. */
  readonly immutable: boolean;
  readonly identity: Buffer;
  /** Compressed variants, which the build wrote where they are shorter. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

/** The built page: `index.html`, and the other files by their path below `/console/`. */
export type Assets = ReturnType<typeof loadAssets>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
const HASHED = /-[A-Z0-9]{8}\.[a-z0-9]+$/;
const PAGE = 'index.html';
/** The end of a compressed variant's file name. */
const ENDS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** Reads the built page. Throws a `StartError` if it is missing. */
export function loadAssets(folder: string) {
  const names = filesBelow(folder);
  const read = new Map(names.map((name) => [name, readFileSync(path.join(folder, name))]));
  const files = new Map<string, Asset>();
  for (const [name, identity] of read) {
    if (!Object.values(ENDS).includes(path.extname(name))) files.set(name, assetOf(name, identity, read));
  }
  const page = files.get(PAGE);
  if (page === undefined) throw notBuilt(folder);
  files.delete(PAGE);
  return { page, files };
}

function filesBelow(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
      .map((name) => name.split(path.sep).join('/'));
  } catch (cause) {
    throw notBuilt(folder, cause);
  }
}

function notBuilt(folder: string, cause?: unknown): StartError {
  return new StartError(`the console is not built, ${folder} has no ${PAGE}: run npm run build`, { cause });
}

/** `files`: by name, with the compressed variants. */
function assetOf(name: string, identity: Buffer, files: ReadonlyMap<string, Buffer>): Asset {
  const encoded = new Map<Encoding, Buffer>();
  for (const encoding of ENCODINGS) {
    const bytes = files.get(name + ENDS[encoding]);
    if (bytes !== undefined) encoded.set(encoding, bytes);
  }
  return {
    contentType: TYPES[path.extname(name)] ?? 'application/octet-stream',
    etag: `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    immutable: HASHED.test(name),
    identity,
    encoded,
  };
}
