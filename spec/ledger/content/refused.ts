import { Refusal } from '../../../src/errors.js';

/** The message of the `Refusal('bad-request')` that the work ends in; any other end fails. */
export function refused(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'bad-request') return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

/** The same for work that takes its time; any code is given. */
export async function rejected(work: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was taken');
}
