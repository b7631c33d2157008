import { startTool } from './tool.js';

/** A real FIWARE Orion (NGSIv2) for one spec. */
export interface Orion {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sends a request below its address. Returns the status and the parsed body, if any. */
  call(method: string, path: string, body?: object, headers?: Headers): Promise<Answer>;
  stop(): Promise<void>;
}

/** An answer of a broker. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Starts Orion on a free port, which takes about two seconds. Returns undefined, after a line on the console, if it is not
 * installed; with CI=true throws an `Error` instead.
 */
export async function startOrion(): Promise<Orion | undefined> {
  const tool = await startTool({
    name: 'orion',
    ports: 2,
    folder: 'ORION_RUN',
    processes: { ORION_PID: 'SIGKILL', ORION_DB_PID: 'SIGKILL' },
  });
  if (tool === undefined) return undefined;
  const url = tool.printed('ORION_URL');
  return { url, call: (...request) => ask(url, ...request), stop: () => tool.stop() };
}

/** Sends a request to a broker. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: object,
  headers: Headers = {},
): Promise<Answer> {
  const sent = body && { body: JSON.stringify(body) };
  const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers: { ...type, ...headers }, ...sent });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}
