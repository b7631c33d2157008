import { Refusal } from '../../../src/errors.js';

/** Returns the message of the `Refusal('bad-request')` that the work throws; fails for any other result. */
export function refused(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'bad-request') return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

/** As `refused`, for a promise and a `Refusal` of any code. */
export async function rejected(work: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was taken');
}
