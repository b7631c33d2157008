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
import { reasonOf } from '../../untrusted/reason.js';
import { isOwnFault } from './codes.js';
import { StoreUnavailable } from '../port.js';

const BROKEN_SOCKET: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED']);

/** Returns the port's error for an error of the driver, without credentials. */
export function unavailable(what: string, error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  return new StoreUnavailable(`${what}: ${reasonOf(error)}`, { cause: error });
}

/** True if a retry may succeed soon: after a lost connection, during an election, before a majority confirms. */
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
  // The driver passes on the error of a socket that closed unnoticed.
  return BROKEN_SOCKET.has(String((error as NodeJS.ErrnoException).code));
}

/** Returns the error if the driver or the server refused a call as a whole because of one operation in it. */
export function refusalIn(error: unknown): Error | undefined {
  if (error instanceof MongoBulkWriteError) {
    // A bulk write hides an error of the driver in a field, and takes the code of a refusal by the server.
    const response: unknown = error.errorResponse;
    if (response instanceof Error) return refusalIn(response);
    if ([error.writeErrors].flat().length > 0 || error.result.getWriteConcernError() !== undefined)
      return undefined;
  }
  if (error instanceof MongoServerError) return isOwnFault(error.code) ? error : undefined;
  if (error instanceof MongoInvalidArgumentError || error instanceof BSON.BSONError) return error;
  return error instanceof RangeError || error instanceof TypeError ? error : undefined;
}
