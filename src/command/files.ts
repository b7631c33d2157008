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
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${name}: ${code === 'ENOENT' ? 'there is no such file' : message}`, { cause: error });
  }
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
    const { code, message } = error as NodeJS.ErrnoException;
    const isThere = code === 'EEXIST';
    throw new Failure(
      isThere ? `${file} exists; --force replaces it` : `${file} cannot be written: ${message}`,
      { cause: error },
    );
  }
}
