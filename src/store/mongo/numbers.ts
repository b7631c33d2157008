import type { Collection } from 'mongodb';
import type { ActorDocument } from './document.js';
import { unavailable } from './failure.js';
import type { Reserve } from '../revisions.js';

/** The document that counts, beside the actors so that a backup of these has it. No actor's kind is empty. */
const ID = '/numbers/revisions';

/** A server may give nothing back where two nodes make the document at once; numbers that are left out do no harm. */
const TRIES = 5;

interface NumbersDocument {
  readonly _id: string;
  /** The highest number that is reserved. */
  readonly reserved: number;
}

/** Reserves numbers for all processes on one database. A majority has the reservation before it is believed. */
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
        // A count that is behind its documents, as after half a backup was restored.
        await numbers.updateOne({ _id: ID }, { $max: { reserved: above } });
      }
    } catch (error) {
      throw unavailable('MongoDB did not reserve revisions', error);
    }
  };
}
