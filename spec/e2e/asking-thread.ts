import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** A request; its status comes back. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

// Sends one request after the other to the address that it is given, so that the sender's work is not the service's.

const url = workerData as string;

parentPort?.on('message', ({ method, path, headers, body }: Asked) => {
  const req = request(url, { method, path, headers: { ...headers, 'Content-Length': body?.length ?? 0 } });
  let status = 0;
  // Also where the answer comes before the whole body is sent, and the connection ends with it.
  req.on('error', () => undefined);
  req.on('close', () => parentPort?.postMessage(status, []));
  req.on('response', (res) => {
    status = res.statusCode ?? 0;
    res.on('error', () => undefined).resume();
  });
  req.end(body);
});
