import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';

/** The refusal that work ends in, thrown or rejected; fails where it ends otherwise. */
export function refused(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    expect(error).to.be.instanceOf(Refusal);
    return error as Refusal;
  }
  throw new Error('nothing was refused');
}

/** As `refused`, for work that gives a promise. */
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
