import {
  BSON,
  MongoBulkWriteError,
  MongoError,
  MongoErrorLabel,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { isOwnFault } from './document.js';
import { StoreUnavailable } from '../port.js';

const BROKEN_SOCKET: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED']);

/** The driver's error as the port's, without what a connection string may have told it. */
export function unavailable(what: string, error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  return new StoreUnavailable(`${what}: ${withoutCredentials((error as Error).message)}`, { cause: error });
}

/** True where the same may succeed in a moment: after a lost connection, during an election, before a majority knows. */
export function mayPass(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) {
    // A bulk write hides the error of its connection in a field, and with it the error's class and labels.
    const response: unknown = error.errorResponse;
    if (response instanceof Error) return mayPass(response);
    if (error.result.getWriteConcernError() !== undefined) return true;
  }
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoError) return error.hasErrorLabel(MongoErrorLabel.RetryableWriteError);
  // The driver passes on what a socket says that ended before it noticed.
  return BROKEN_SOCKET.has(String((error as NodeJS.ErrnoException).code));
}

/** True where a driver, or a server, refused operations as a whole because it cannot take one of them as it is. */
export function isRefusal(error: unknown): error is Error {
  if (error instanceof MongoBulkWriteError) return false;
  if (error instanceof MongoServerError) return isOwnFault(error.code);
  if (error instanceof MongoInvalidArgumentError || error instanceof BSON.BSONError) return true;
  return error instanceof RangeError || error instanceof TypeError;
}

/** A message without what stands between `//` and `@` in it. */
export function withoutCredentials(message: string): string {
  return message.replaceAll(/\/\/\S*@/g, '//…@');
}
