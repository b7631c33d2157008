import { readFile } from 'node:fs/promises';
import { setPageHeaders } from '../../http/page-headers.js';
import { READ, type Route, route } from '../../http/router.js';
import { ROOT } from './documents.js';
import { answerCached, type Tagged, tagged } from './routes.js';

/** The page of the package, with its policy in it. */
const FILE = new URL('deploy/verify.html', ROOT);
const POLICY = /<meta http-equiv="Content-Security-Policy" content="([^"]+)"/;

interface VerifyPage {
  readonly page: Tagged;
  readonly policy: string;
}

/** Returns the route of the page that verifies proof files. The page is read when it is first asked for. */
export function verifyRoute(): Route {
  let read: Promise<VerifyPage> | undefined;
  return route(READ, '/verify', async (ctx) => {
    const { page, policy } = await (read ??= readPage());
    setPageHeaders(ctx.res, policy);
    answerCached(ctx, 'text/html', page);
  });
}

async function readPage(): Promise<VerifyPage> {
  const page = await readFile(FILE, 'utf8');
  // A frame is what the policy in a page cannot forbid.
  return { page: tagged(page), policy: `${POLICY.exec(page)![1]!}; frame-ancestors 'none'` };
}
