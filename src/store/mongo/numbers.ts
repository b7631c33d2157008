import type { Collection } from 'mongodb';
import type { ActorDocument } from './document.js';
import { unavailable } from './failure.js';
import type { Reserve } from '../revisions.js';

/** The documents with the counter and the time, in the collection of the actors so that backups have all. No kind is empty. */
const ID = '/numbers/revisions';
const TIME_ID = '/numbers/time';

/** A server may return nothing if two nodes create the document at once; numbers that stay unused do no harm. */
const TRIES = 5;

interface NumbersDocument {
  readonly _id: string;
  /** The highest reserved number. */
  readonly reserved: number;
}

interface TimeDocument {
  readonly _id: string;
  /** ms since the epoch. */
  readonly at: number;
}

/** Keeps a time, ms since the epoch; a majority confirms it. */
export async function keepTime(actors: Collection<ActorDocument>, at: number): Promise<void> {
  const times = actors as unknown as Collection<TimeDocument>;
  await times.updateOne({ _id: TIME_ID }, { $set: { at } }, { upsert: true });
}

/** Resolves with the kept time; undefined if there is none. */
export async function keptTime(actors: Collection<ActorDocument>): Promise<number | undefined> {
  return (await (actors as unknown as Collection<TimeDocument>).findOne({ _id: TIME_ID }))?.at;
}

/** Resolves with the highest reserved number. */
export async function reservedIn(actors: Collection<ActorDocument>): Promise<number> {
  return (await (actors as unknown as Collection<NumbersDocument>).findOne({ _id: ID }))?.reserved ?? 0;
}

/** Reserves all numbers up to one. */
export async function reserveAll(actors: Collection<ActorDocument>, reserved: number): Promise<void> {
  const numbers = actors as unknown as Collection<NumbersDocument>;
  await numbers.updateOne({ _id: ID }, { $max: { reserved } }, { upsert: true });
}

/** Reserves numbers among all processes on one database; a majority confirms each reservation. */
export function reserveIn(actors: Collection<ActorDocument>): Reserve {
  const numbers = actors as unknown as Collection<NumbersDocument>;

  const add = async (count: number): Promise<number> => {
    const options = { upsert: true, returnDocument: 'after' } as const;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await numbers.findOneAndUpdate({ _id: ID }, { $inc: { reserved: count } }, options);
      if (found !== null) return found.reserved;
    }
    throw new Error('the server did not give back what it counted');
  };

  return async (count, above) => {
    try {
      for (;;) {
        const first = (await add(count)) - count + 1;
        if (first > above) return first;
        // The counter is behind the documents, as after the restoration of half a backup.
        await reserveAll(actors, above);
      }
    } catch (error) {
      throw unavailable('MongoDB did not reserve revisions', error);
    }
  };
}
