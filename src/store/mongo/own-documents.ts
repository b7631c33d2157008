import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { refuseOtherFormat, STORE_FORMAT, UNNUMBERED } from '../format.js';
import type { Reserve } from '../revisions.js';
import type { ActorDocument } from './document.js';
import { unavailable } from './failure.js';

/** A document of the store's own, in the collection of the actors so that backups have all. No kind is empty. */
interface OwnDocument {
  readonly _id: string;
  readonly format?: number;
  /** The highest reserved number. */
  readonly reserved?: number;
  /** A kept time, ms since the epoch. */
  readonly at?: number;
  /** Of a trial. */
  readonly text?: string;
}

const FORMAT = { _id: '/numbers/format' };
const REVISIONS = { _id: '/numbers/revisions' };
const TIME = { _id: '/numbers/time' };

/** A server may return nothing if two nodes create the document at once; numbers that stay unused do no harm. */
const TRIES = 5;

function own(actors: Collection<ActorDocument>): Collection<OwnDocument> {
  return actors as unknown as Collection<OwnDocument>;
}

/** Throws a `StartError` for a database of another format. Writes the format into an empty one. */
export async function checkFormat(actors: Collection<ActorDocument>): Promise<void> {
  // The format is read last: of nodes that start together, the others may write it, and then actors, meanwhile.
  if ((await actors.findOne({}, { projection: { _id: 1 } })) === null)
    await own(actors).updateOne(FORMAT, { $setOnInsert: { format: STORE_FORMAT.mongo } }, { upsert: true });
  const found = await own(actors).findOne(FORMAT);
  const where = { store: `The database ${actors.dbName}`, setting: 'MONGODB_URL' };
  refuseOtherFormat(found?.format ?? UNNUMBERED, [STORE_FORMAT.mongo], where);
}

/** Resolves with true if the collection has the present format. */
export async function isFormatIn(actors: Collection<ActorDocument>): Promise<boolean> {
  return (await own(actors).findOne(FORMAT))?.format === STORE_FORMAT.mongo;
}

/** Keeps a time, ms since the epoch; a majority confirms it. */
export async function keepTime(actors: Collection<ActorDocument>, at: number): Promise<void> {
  await own(actors).updateOne(TIME, { $set: { at } }, { upsert: true });
}

/** Resolves with the kept time; undefined if there is none. */
export async function keptTime(actors: Collection<ActorDocument>): Promise<number | undefined> {
  return (await own(actors).findOne(TIME))?.at;
}

/** Resolves with the highest reserved number. */
export async function reservedIn(actors: Collection<ActorDocument>): Promise<number> {
  return (await own(actors).findOne(REVISIONS))?.reserved ?? 0;
}

/** Reserves all numbers up to one. */
export async function reserveAll(actors: Collection<ActorDocument>, reserved: number): Promise<void> {
  await own(actors).updateOne(REVISIONS, { $max: { reserved } }, { upsert: true });
}

/** Reserves numbers among all processes on one database; a majority confirms each reservation. */
export function reserveIn(actors: Collection<ActorDocument>): Reserve {
  const add = async (count: number): Promise<number> => {
    const options = { upsert: true, returnDocument: 'after' } as const;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await own(actors).findOneAndUpdate(REVISIONS, { $inc: { reserved: count } }, options);
      if (found !== null) return found.reserved!;
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

/** Writes a document of so many characters and removes it. Rejects with `StoreUnavailable`. */
export async function writeOnce(actors: Collection<ActorDocument>, characters: number): Promise<void> {
  // Each node has a document of its own.
  const one = { _id: `/trial/${randomUUID()}` };
  try {
    await own(actors).insertOne({ ...one, text: ' '.repeat(characters) });
    await own(actors).deleteOne(one);
  } catch (error) {
    await own(actors)
      .deleteOne(one)
      .catch(() => undefined);
    throw unavailable('MongoDB does not write', error);
  }
}
