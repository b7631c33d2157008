import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/**
 * Reads a file that an option names; `-` is the standard input. Throws an `Error` that begins with the name: there is no
 * such file, or the error of `parse`.
 */
export async function contentOf<T>(
  name: string,
  stdin: NodeJS.ReadableStream,
  parse: (bytes: Buffer) => T,
): Promise<T> {
  try {
    return parse(name === '-' ? await buffer(stdin) : await readFile(name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${name}: ${code === 'ENOENT' ? 'there is no such file' : message}`, { cause: error });
  }
}
