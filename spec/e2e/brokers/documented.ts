import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../../../docs/brokers.md', import.meta.url), 'utf8');
/** What the page calls. */
const CALLBACK = 'http://localhost:8080/v1.0/demo/notify';

/** Returns the body of the command in docs/brokers.md that POSTs to `path`. It names `callback` in place of that of the page. */
export function documentedBody(path: string, callback: string): object {
  const [, body] = new RegExp(`^curl http://localhost:\\d+${path} [^']*'[^']*' -d '([^']+)'$`, 'm').exec(
    PAGE,
  )!;
  return JSON.parse(body!.replace(CALLBACK, callback)) as object;
}
