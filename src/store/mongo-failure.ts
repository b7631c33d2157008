import { MongoError, MongoErrorLabel, MongoNetworkError } from 'mongodb';
import { StoreUnavailable } from './port.js';

/** The driver's error as the port's, without what a connection string may have told it. */
export function unavailable(what: string, error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  return new StoreUnavailable(`${what}: ${withoutCredentials((error as Error).message)}`, { cause: error });
}

/** True where the server, or another one, may do the same in a moment: after a lost connection or an election. */
export function mayPass(error: unknown): boolean {
  if (error instanceof MongoNetworkError) return true;
  return error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.RetryableWriteError);
}

/** A message without what stands between `//` and `@` in it. */
export function withoutCredentials(message: string): string {
  return message.replaceAll(/\/\/\S*@/g, '//…@');
}
