import { once } from 'node:events';
import http from 'node:http';

/**
 * Reads what open pages of the console read, in a process of its own: half of them show the overview, half a server under
 * load. Each page follows the event stream and reads its view again at most once a second, as the page does. Messages of
 * the parent: `{open: number}` opens so many pages, `'close'` closes all; both are answered with the number of views that
 * were read since the last message.
 */

const base = process.argv[2]!;
const agent = new http.Agent({ keepAlive: true });
/** Minimum time between two readings of a view, ms. */
const SPACING_MS = 1_000;
/** Readings of the overview without an event, ms. */
const OVERVIEW_MS = 5_000;

interface Page {
  close(): void;
}

let views = 0;
let pages: Page[] = [];

async function get(path: string): Promise<void> {
  const request = http.get(base + path, { agent });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  for await (const part of response) void part;
  if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode}`);
  views += 1;
}

async function openPage(view: string, stream: string, every: number | undefined): Promise<Page> {
  const request = http.get(base + stream);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`GET ${stream}: ${response.statusCode}`);
  let open = true;
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  const read = (): void => {
    timer = undefined;
    last = performance.now();
    void get(view).then(() => open && every !== undefined && soon(every));
  };
  const soon = (wait: number): void => {
    if (open) timer ??= setTimeout(read, Math.max(0, last + wait - performance.now()));
  };
  response.on('data', () => soon(SPACING_MS));
  response.on('error', () => undefined);
  read();
  return {
    close() {
      open = false;
      clearTimeout(timer);
      request.destroy();
    },
  };
}

async function openPages(count: number, tenant: string): Promise<void> {
  const kinds = Array.from({ length: count }, (_, n) => {
    if (n % 2 === 0) return openPage('/console/api/overview', '/console/api/events', OVERVIEW_MS);
    const server = `server-${n}`;
    return openPage(
      `/console/api/servers/${tenant}/${server}`,
      `/console/api/events?tenant=${tenant}&server=${server}`,
      undefined,
    );
  });
  pages = await Promise.all(kinds);
}

process.on('message', (message: 'close' | { readonly open: number; readonly tenant: string }) => {
  const answer = (): void => {
    process.send!({ views });
    views = 0;
  };
  if (message === 'close') {
    for (const page of pages.splice(0)) page.close();
    answer();
  } else void openPages(message.open, message.tenant).then(answer);
});
process.send!('ready');
