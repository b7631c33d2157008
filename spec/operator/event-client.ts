import { expect } from 'chai';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';

/** A Server-Sent Event. */
export interface Received {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A client of an event stream. */
export interface EventClient {
  readonly response: Response;
  /** The answer as text so far. */
  readonly text: string;
  /** Everything that was received so far. */
  readonly all: readonly Received[];
  /** Resolves with the first event that fits and is behind the last one returned. Rejects after 8 s, or if the stream ends. */
  next(fits: (event: Received) => boolean): Promise<Received>;
  /** Resolves once the stream has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Opens an event stream. Fails unless the answer is 200. */
export async function openEvents(url: string, headers: Record<string, string> = {}): Promise<EventClient> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  if (response.status !== 200) expect.fail(await response.text());
  const all: Received[] = [];
  const chunks: string[] = [];
  /** The start of an event whose end is still to come. A search in the whole text would take longer with each chunk. */
  let rest = '';
  let over = false;
  let taken = 0;
  const read = async (): Promise<void> => {
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        chunks.push(chunk);
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          const event = eventIn(block);
          if (event !== undefined) all.push(event);
        }
      }
    } catch {
      // Cut off, by either side.
    }
    over = true;
  };
  const ended = read();
  return {
    response,
    get text() {
      return chunks.join('');
    },
    all,
    ended,
    next: (fits) =>
      eventually(
        () => {
          const found = all.findIndex((event, i) => i >= taken && fits(event));
          if (found < 0 && over)
            throw new Error(
              `the stream ended before such an event: ${chunks.slice(-4).join('').slice(-500)}`,
            );
          if (found < 0) return undefined;
          taken = found + 1;
          return all[found];
        },
        SOON_MS,
        () => `no such event: ${chunks.slice(-4).join('').slice(-500)}`,
      ),
    async close() {
      abort.abort();
      await ended;
    },
  };
}

function eventIn(block: string): Received | undefined {
  const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const type = fields.get('event') ?? 'message';
  return { id: fields.get('id'), type, data: JSON.parse(data) as Received['data'] };
}
