import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Failure } from './context.js';

/**
 * Reads a file that an option names; `-` is the standard input. Throws an `Error` that begins with the name: there is no
 * such file, or the error of `parse`.
 */
export async function contentOf<T>(
  name: string,
  stdin: NodeJS.ReadableStream,
  parse: (bytes: Buffer) => T,
): Promise<T> {
  return parsed(name, await bytesOf(name, stdin), parse);
}

/** Reads the bytes of a file that an option names. The same errors as `contentOf`. */
export async function bytesOf(name: string, stdin: NodeJS.ReadableStream): Promise<Buffer> {
  try {
    return name === '-' ? await buffer(stdin) : await readFile(name);
  } catch (error) {
    throw new Error(`${name}: ${readFault(error)}`, { cause: error });
  }
}

/** Yields the bytes of a file that an argument names; `-` is the standard input. The same errors as `bytesOf`. */
export async function* chunksOf(
  name: string,
  stdin: NodeJS.ReadableStream,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const chunks = name === '-' ? stdin : createReadStream(name, { signal });
  try {
    yield* chunks as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new Error(`${name}: ${readFault(error)}`, { cause: error });
  }
}

/** Words for the codes in messages of the file system. */
const WORDS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOTDIR: 'a folder above it is a file',
  EACCES: 'this user has no right to do so',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

/** Returns why a file cannot be read. */
export function readFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : (WORDS[code] ?? message);
}

/** Returns why a file cannot be written. */
export function writeFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such folder' : (WORDS[code] ?? message);
}

/** Parses the bytes of a file. An error of `parse` begins with the name. */
export function parsed<T>(name: string, bytes: Buffer, parse: (bytes: Buffer) => T): T {
  try {
    return parse(bytes);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes a file. `isNew`: one that exists stays, as without the option --force. Throws `Failure`. */
export async function writeText(file: string, text: string, { isNew = false } = {}): Promise<void> {
  try {
    await writeFile(file, text, { flag: isNew ? 'wx' : 'w' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new Failure(
      isThere ? `${file} exists; --force replaces it` : `${file} cannot be written: ${writeFault(error)}`,
      { cause: error },
    );
  }
}
