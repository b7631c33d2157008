import type { Message, Take } from './connection.js';

/** A message that waits for those before it. */
interface Waiting {
  readonly message: Message;
  readonly ended: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Maximum number of messages that are taken at once. */
const AT_ONCE = 100;

/**
 * Makes the taking of messages topic by topic: those of one topic in the order in which they came, several at once if they
 * wait. If `takeAll` rejects, the messages that wait behind are rejected too: taken now, they would overtake what comes
 * again.
 */
export function inTopicOrder(takeAll: (topic: string, messages: readonly Message[]) => Promise<void>): Take {
  const queues = new Map<string, Waiting[]>();

  const work = async (topic: string, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, AT_ONCE);
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

  return (message, ended) =>
    new Promise((resolve, reject) => {
      const waiting = { message, ended, resolve, reject };
      const known = queues.get(message.topic);
      if (known !== undefined) return void known.push(waiting);
      const queue = [waiting];
      queues.set(message.topic, queue);
      void work(message.topic, queue);
    });
}
