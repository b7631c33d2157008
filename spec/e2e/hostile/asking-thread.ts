import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** A request. The thread answers with its status. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

// Sends requests one after the other from a thread, so that sending does not hold the event loop of the service.

const url = workerData as string;

parentPort?.on('message', ({ method, path, headers, body }: Asked) => {
  const req = request(url, { method, path, headers: { ...headers, 'Content-Length': body?.length ?? 0 } });
  let status = 0;
  // Resolves also if the answer comes before the whole body is sent and the connection is closed.
  req.on('error', () => undefined);
  req.on('close', () => parentPort?.postMessage(status, []));
  req.on('response', (res) => {
    status = res.statusCode ?? 0;
    res.on('error', () => undefined).resume();
  });
  req.end(body);
});
