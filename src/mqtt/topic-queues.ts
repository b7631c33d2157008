import type { Message, Take } from './connection.js';

/** A message that waits for those before it. */
interface Waiting {
  readonly message: Message;
  readonly ended: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Maximum number of messages that are taken at once, and of the bytes of their payloads. A larger message is taken alone. */
const AT_ONCE = { messages: 100, bytes: 16 * 1024 };

/**
 * Makes the taking of messages topic by topic: those of one topic in the order in which they came, several at once if they
 * wait. If `takeAll` rejects, the messages after it are rejected too: taken now, they would overtake what comes
 * again. Messages of topics with more than `longest` characters are taken alone and have no order: V8 hashes very long texts by
 * their length, so that each lookup would compare all of them.
 */
export function inTopicOrder(
  takeAll: (topic: string, messages: readonly Message[]) => Promise<void>,
  longest: number,
): Take {
  const queues = new Map<string, Waiting[]>();

  const work = async (topic: string, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchLength(queue));
      const current = batch.filter(({ ended }) => !ended.aborted);
      for (const { ended, reject } of batch) if (ended.aborted) reject(ended.reason);
      if (current.length === 0) continue;
      try {
        await takeAll(
          topic,
          current.map(({ message }) => message),
        );
        for (const { resolve } of current) resolve();
      } catch (error) {
        for (const { reject } of [...current, ...queue.splice(0)]) reject(error);
      }
    }
    queues.delete(topic);
  };

  return (message, ended) => {
    if (message.topic.length > longest) return takeAll(message.topic, [message]);
    return new Promise((resolve, reject) => {
      const waiting = { message, ended, resolve, reject };
      const known = queues.get(message.topic);
      if (known !== undefined) return void known.push(waiting);
      const queue = [waiting];
      queues.set(message.topic, queue);
      void work(message.topic, queue);
    });
  };
}

/** Returns how many of the messages that wait are taken at once: what they hold is taken in one piece of work. */
function batchLength(queue: readonly Waiting[]): number {
  let bytes = 0;
  const end = queue.findIndex(({ message }, i) => {
    bytes += message.payload.length;
    return i >= AT_ONCE.messages || (i > 0 && bytes > AT_ONCE.bytes);
  });
  return end < 0 ? queue.length : end;
}
