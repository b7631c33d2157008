import { once } from 'node:events';
import http from 'node:http';

/**
 * Reads what open pages of the console read, in a process of its own: a third of them shows the overview, a third the list of
 * servers, a third a server under load. Each page follows the event stream and reads its views again at most once a second,
 * as the page does, and the number of those in trouble. Messages of the parent: `{open: number}` opens so many pages, `'close'` closes all; both are answered with the number of views that
 * were read since the last message.
 */

const base = process.argv[2]!;
const agent = new http.Agent({ keepAlive: true });
/** Minimum time between two readings of a view, ms. */
const SPACING_MS = 1_000;
/** Readings of the overview, and of lists, without an event, ms. */
const OVERVIEW_MS = 2_000;
const LIST_MS = 5_000;
/** Readings of the number of those in trouble, ms. */
const TROUBLE_MS = 2_000;

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

async function openPage(views: readonly string[], stream: string, every: number | undefined): Promise<Page> {
  const request = http.get(base + stream);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`GET ${stream}: ${response.statusCode}`);
  let open = true;
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  const read = (): void => {
    timer = undefined;
    last = performance.now();
    void reading(views).then(() => open && every !== undefined && soon(every));
  };
  /** The service may end the readings that are under way when the page is closed. */
  const reading = (paths: readonly string[]): Promise<unknown> =>
    Promise.all(paths.map(get)).catch((error: unknown) => {
      if (open) throw error;
    });
  const soon = (wait: number): void => {
    if (open) timer ??= setTimeout(read, Math.max(0, last + wait - performance.now()));
  };
  response.on('data', () => soon(SPACING_MS));
  response.on('error', () => undefined);
  read();
  const trouble = setInterval(() => void reading(['/console/api/trouble']), TROUBLE_MS);
  return {
    close() {
      open = false;
      clearInterval(trouble);
      clearTimeout(timer);
      request.destroy();
    },
  };
}

async function openPages(count: number, tenant: string): Promise<void> {
  const kinds = Array.from({ length: count }, (_, n) => {
    const all = '/console/api/events';
    if (n % 3 === 0) return openPage(['/console/api/overview'], all, OVERVIEW_MS);
    if (n % 3 === 1) return openPage(['/console/api/overview', '/operator/servers?limit=50'], all, LIST_MS);
    const server = `server-${n}`;
    return openPage(
      [`/console/api/servers/${tenant}/${server}`],
      `${all}?tenant=${tenant}&server=${server}`,
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
