import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { ActorDocument } from './document.js';
import { unavailable } from './failure.js';

interface TrialDocument {
  readonly _id: string;
  readonly text: string;
}

/** Writes a document of so many characters and removes it. Rejects with `StoreUnavailable`. */
export async function writeOnce(actors: Collection<ActorDocument>, characters: number): Promise<void> {
  const trials = actors as unknown as Collection<TrialDocument>;
  // No kind is empty. Each node has a document of its own.
  const one = { _id: `/trial/${randomUUID()}` };
  try {
    await trials.insertOne({ ...one, text: ' '.repeat(characters) });
    await trials.deleteOne(one);
  } catch (error) {
    await trials.deleteOne(one).catch(() => undefined);
    throw unavailable('MongoDB does not write', error);
  }
}
