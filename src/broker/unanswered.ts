import { BrokerUnavailable } from './port.js';

/**
 * What a creation fails with whose answer did not come, after one attempt to end what it may have made: `retract` gives
 * the ids of what it ended. Where it ended nothing, the broker may still be at it: the failure is `unsettled`.
 */
export async function unanswered(
  failure: unknown,
  retract: () => Promise<readonly string[]>,
): Promise<unknown> {
  if (!(failure instanceof BrokerUnavailable) || failure.unsent) return failure;
  if ((await attempted(retract)).length > 0) return failure;
  return new BrokerUnavailable(failure.message, { cause: failure.cause, unsettled: true });
}

async function attempted(retract: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await retract();
  } catch {
    return [];
  }
}
