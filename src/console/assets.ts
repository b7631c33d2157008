import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
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
  /** Compressed variants that are shorter. */
  readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

/** The built page: `index.html`, and the other files by their path below `/console/`. */
export interface Assets {
  readonly page: Asset;
  readonly files: ReadonlyMap<string, Asset>;
}

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
/** Brotli's best levels take seconds for little gain. */
const BROTLI_LEVEL = 9;

const gzipped = promisify<Buffer, Buffer>(gzip);
const brotlied = promisify(brotliCompress);

/** Reads the built page. Throws a `StartError` if it is missing. */
export async function loadAssets(folder: string): Promise<Assets> {
  const names = await filesBelow(folder);
  const files = new Map<string, Asset>();
  await Promise.all(
    names.map(async (name) => files.set(name, await assetOf(name, await readFile(path.join(folder, name))))),
  );
  const page = files.get(PAGE);
  if (page === undefined) throw notBuilt(folder);
  files.delete(PAGE);
  return { page, files };
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
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

async function assetOf(name: string, identity: Buffer): Promise<Asset> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
    [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
  };
  const [br, gz] = await Promise.all([brotlied(identity, { params }), gzipped(identity)]);
  const variants: readonly (readonly [Encoding, Buffer])[] = [
    ['br', br],
    ['gzip', gz],
  ];
  return {
    contentType: TYPES[path.extname(name)] ?? 'application/octet-stream',
    etag: `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    immutable: HASHED.test(name),
    identity,
    encoded: new Map(variants.filter(([, bytes]) => bytes.length < identity.length)),
  };
}
