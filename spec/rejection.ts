/** Returns the reason of a rejected promise. Fails if it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error('expected an Error', { cause: error });
  }
  throw new Error('expected a rejection, but the promise was fulfilled');
}
