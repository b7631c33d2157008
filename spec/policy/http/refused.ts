import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';

/** Returns the refusal that `work` throws. Fails if it throws nothing or something else. */
export function refused(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    expect(error).to.be.instanceOf(Refusal);
    return error as Refusal;
  }
  throw new Error('nothing was refused');
}

/** As `refused`, for a promise that rejects. */
export async function refusedLater(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    return refused(() => {
      throw error;
    });
  }
  throw new Error('nothing was refused');
}
