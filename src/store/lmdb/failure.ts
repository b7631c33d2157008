import { statfs } from 'node:fs/promises';
import { StoreUnavailable } from '../port.js';

/** Room on a disk below which an error of it says how much is left, bytes: lmdb calls a full disk an input/output error. */
const SHORT_OF_ROOM = 16 * 1024 * 1024;

/**
 * Returns the error for a failed transaction in a folder. `what` has failed, such as "The store in … failed". lmdb has the reason in a
 * promise, which must be handled: otherwise it ends the process.
 */
export async function failure(what: string, folder: string, error: unknown): Promise<StoreUnavailable> {
  const { commitError, message } = error as Error & { readonly commitError?: Promise<never> };
  const reason = await commitError?.catch((cause: unknown) => (cause as Error).message);
  return new StoreUnavailable(`${what}: ${reason ?? message}${await shortageOf(folder)}`, { cause: error });
}

async function shortageOf(folder: string): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const left = bavail * bsize;
    return left < SHORT_OF_ROOM ? `; its disk has ${Math.floor(left / 1024)} KiB left` : '';
  } catch {
    return '';
  }
}
