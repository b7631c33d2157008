import { randomBytes } from 'node:crypto';
import { faultOf } from './broker-fault.js';
import { clientOf, endOf, opened } from './client.js';

/** Connects to a broker as a client that it does not know, and leaves. Returns why that is not possible; undefined if it is. */
export async function reachBroker(url: string): Promise<string | undefined> {
  const peer = { url, clientId: `mirzam-doctor-${randomBytes(4).toString('hex')}` };
  const client = clientOf(peer, { clean: true });
  try {
    await opened(client, endOf(client));
    return undefined;
  } catch (error) {
    return faultOf(error, peer);
  } finally {
    client.end();
  }
}
