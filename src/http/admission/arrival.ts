import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../errors.js';
import type { Area } from '../areas.js';
import type { EdgeContext } from '../context.js';
import { ProtocolFault } from '../failures/failure.js';
import { quoted } from '../../untrusted/text.js';
import { requestIdOf } from '../request-id.js';
import { originForm, targetOf, withoutQuery } from '../target.js';

/**
 * The first thing that happens to every request: its id, its start, and the path that it is routed by. Throws for what
 * is no request of HTTP/1.1.
 */
export function arrive({ req, res, state }: EdgeContext, areas: readonly Area[]): void {
  state.requestId = requestIdOf(req.headers['x-request-id']);
  state.startedAt = performance.now();
  res.setHeader('X-Request-Id', state.requestId);
  req.url = originForm(req.url ?? '');
  state.path = withoutQuery(req.url);
  const { path, jsonSuffix } = targetOf(state.path, areas);
  state.path = path;
  state.jsonSuffix = jsonSuffix;
  checkHeaders(req);
}

function checkHeaders({ headers: { host, expect }, rawHeaders, httpVersion }: IncomingMessage): void {
  if (host === undefined && httpVersion === '1.1') {
    throw new Refusal('bad-request', 'the Host header is missing; HTTP/1.1 asks for it');
  }
  if (isHostRepeated(rawHeaders)) throw new Refusal('bad-request', 'the Host header must be given once');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new ProtocolFault(417, `Expect may be 100-continue or left out, not ${quoted(expect)}`);
  }
}

/** `names` alternate with values; node keeps the first Host of several and hides the rest. */
function isHostRepeated(names: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < names.length; i += 2) {
    const name = names[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
