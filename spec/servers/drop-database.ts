import { MongoClient, MongoNetworkError } from 'mongodb';

const TRIES = 5;

/** Drops the database of a connection string. A busy server may close connections: it is asked again then. */
export async function dropDatabase(url: string): Promise<void> {
  const client = new MongoClient(url);
  const drop = async (tries: number): Promise<unknown> =>
    client
      .db()
      .dropDatabase()
      .catch((error: unknown) => {
        if (tries === 1 || !(error instanceof MongoNetworkError)) throw error;
        return drop(tries - 1);
      });
  try {
    await drop(TRIES);
  } finally {
    await client.close();
  }
}
