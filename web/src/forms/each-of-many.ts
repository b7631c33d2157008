import { messageOf, send } from '../api.js';

/** A change of one server of many. */
export interface OneChange {
  readonly method: 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** The server, for the message of an error. */
  readonly serverId: string;
}

/** Requests under way at a time. */
const AT_ONCE = 4;
/** Failures that a message names. */
const NAMED = 3;

/** Makes changes of many servers. `progress` gets the number of those that were tried. Throws an error that names some that failed. */
export async function eachOfMany(
  changes: readonly OneChange[],
  progress: (tried: number) => void,
): Promise<void> {
  const failed: { readonly serverId: string; readonly message: string }[] = [];
  const waiting = changes.values();
  let tried = 0;
  const work = async (): Promise<void> => {
    for (const { method, path, body, serverId } of waiting) {
      try {
        await send(method, path, body);
      } catch (error) {
        failed.push({ serverId, message: messageOf(error) });
      }
      tried += 1;
      progress(tried);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const [first] = failed;
  if (first === undefined) return;
  if (changes.length === 1) throw new Error(first.message);
  const named = failed.slice(0, NAMED).map(({ serverId, message }) => `${serverId}: ${message}`);
  const rest = failed.length > NAMED ? ` And ${failed.length - NAMED} more.` : '';
  throw new Error(`${failed.length} of ${changes.length} failed. ${named.join(' ')}${rest}`);
}
