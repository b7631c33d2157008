import { mongoOfSuite } from '../../servers/mongodb.js';
import { launcher, type Launcher } from './service-process.js';

/**
 * Adds hooks to a `describe`: one MongoDB server for all its specs, and for each spec a launcher of nodes on a new database.
 * Skips the specs if there is no server. Returns a function that returns the launcher of the running spec.
 */
export function nodesOnMongo(settings: Readonly<Record<string, string>> = {}): () => Launcher {
  let nodes: Launcher;

  const mongo = mongoOfSuite();
  beforeEach(async () => {
    nodes = await launcher({ MONGODB_URL: mongo.database(), ...settings });
  });
  afterEach(() => nodes.close());

  return () => nodes;
}
