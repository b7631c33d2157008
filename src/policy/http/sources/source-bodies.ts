import { type BodyOrder, bodyThread } from '../../../untrusted/body-thread.js';
import type { FactsSettings } from '../../facts/measuring-attributes.js';
import { unpackedParts } from '../../sources/fact-parts.js';
import type { SourceFacts } from '../../sources/source-facts.js';
import type { SourceBody } from './source-readers.js';

/** An order for the thread of large bodies. */
export interface SourceOrder extends BodyOrder {
  readonly name: keyof SourceBody;
}

/** What the thread read, its facts in parts. */
export type PackedBody<B extends keyof SourceBody = keyof SourceBody> = Omit<SourceBody[B], 'facts'> & {
  readonly facts: readonly Uint8Array[];
};

/** What was read, its facts in parts that are made as they are asked for. */
type InParts<B extends keyof SourceBody> = Omit<SourceBody[B], 'facts'> & {
  readonly facts: Iterable<SourceFacts>;
};

/** Reads the bodies of sources. */
export type SourceBodies = ReturnType<typeof openSourceBodies>;

/** Longest body, bytes after inflating, that is read on the event loop. That takes a millisecond or two. */
const LARGEST_INLINE = 64 * 1024;

/** Opens the bodies of sources. A thread for large ones starts on first use. */
export function openSourceBodies(settings: FactsSettings) {
  const thread = bodyThread<SourceOrder, PackedBody>(
    new URL('./source-bodies-worker.js', import.meta.url),
    settings,
  );
  const readers = async () => (await import('./source-readers.js')).sourceReaders(settings);
  let loaded: ReturnType<typeof readers> | undefined;
  return {
    /**
     * Reads a body. `length` is its length after inflating, bytes: a large one is read in a thread, where the client addresses
     * (`client`) take turns. Rejects with a `Refusal`: `unreadable`, `bad-request`, or `unavailable` if too many bytes wait.
     */
    async read<B extends keyof SourceBody>(
      name: B,
      bytes: Buffer,
      length: number,
      client?: string,
    ): Promise<InParts<B>> {
      if (length > LARGEST_INLINE) {
        const packed = (await thread.run({ name, bytes, client })) as PackedBody<B>;
        return { ...packed, facts: unpackedParts(packed.facts) };
      }
      const all = await (loaded ??= readers());
      const body = all[name](bytes) as SourceBody[B];
      return { ...body, facts: [body.facts] };
    },
    /** Refuses the bodies in the thread as `unavailable`. */
    close: () => thread.close(),
  };
}
