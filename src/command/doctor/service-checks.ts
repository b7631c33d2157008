import { isIPv6 } from 'node:net';
import type { Config } from '../../config/config.js';
import { isLoopback, isWildcard } from '../../config/hosts.js';
import { fieldOf } from '../../untrusted/json.js';
import { ask } from './ask.js';
import { fault, type Finding, note, ok, warning } from './finding.js';

/** The service on this machine: its version, or that nothing or another program listens at its port. */
export type Running = { readonly version: string } | 'nothing' | 'another program';

/** Returns what listens at HOST and PORT; `nothing` if PORT is any free port. */
export async function runningAt(url: string | undefined): Promise<Running> {
  if (url === undefined) return 'nothing';
  const answer = await ask(`${url}/version`);
  if (typeof answer === 'string') return /connection refused/.test(answer) ? 'nothing' : 'another program';
  const { body } = answer;
  const version = fieldOf(body, 'version');
  const isMirzam = fieldOf(body, 'name') === 'mirzam' && typeof version === 'string';
  return isMirzam ? { version } : 'another program';
}

/** Returns the address of the service on this machine; undefined if PORT is any free port. */
export function localUrl({ http: { host, port } }: Config): string | undefined {
  if (port === 0) return undefined;
  const name = isWildcard(host) ? '127.0.0.1' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Examines the service on this machine: whether it runs, and what its health says. */
export async function checkService(running: Running, url: string | undefined): Promise<Finding> {
  if (url === undefined)
    return note('service', 'PORT is 0: a service listens at any free port, and is not checked');
  if (running === 'another program') {
    return fault('service', `another program listens at ${url}: stop it, or choose another PORT`);
  }
  if (running === 'nothing') {
    return note(
      'service',
      `nothing runs at ${url}: "mirzam" starts the service; if it runs elsewhere, give its PORT`,
    );
  }
  const answer = await ask(`${url}/health`);
  const name = `Mirzam ${running.version} runs at ${url}`;
  if (typeof answer === 'string')
    return fault('service', `${name} and gives no health: ${answer}; read its log`);
  const { status, body } = answer;
  if (status !== 200) return fault('service', `${name} and is not ready (${status}); read its log`);
  const parts = Object.keys(fieldOf(body, 'parts') ?? {});
  return parts.length === 0
    ? ok('service', name)
    : warning('service', `${name}, and its health names ${parts.join(', ')}: see below, or its log`);
}

/** Examines PUBLIC_URL: the address at which receivers, brokers and browsers find the service. */
export async function checkPublicUrl(
  { http: { publicUrl }, production, broker }: Config,
  running: Running,
): Promise<Finding | undefined> {
  if (publicUrl === undefined) return undefined;
  const { hostname, protocol } = new URL(publicUrl);
  const isHere = isLoopback(hostname);
  if (isHere && broker !== undefined && !isLoopback(new URL(broker.url).hostname)) {
    return fault(
      'PUBLIC_URL',
      `${publicUrl} is an address of this machine alone, and the broker on ${new URL(broker.url).hostname} must reach it: set PUBLIC_URL`,
    );
  }
  const answer = await ask(`${publicUrl}/version`);
  const isRunning = typeof running === 'object';
  if (typeof answer === 'string') {
    const text = `${publicUrl} does not answer: ${answer}`;
    if (!isRunning) return note('PUBLIC_URL', `${text}; no service runs here that could answer`);
    return fault('PUBLIC_URL', `${text}; check its name, its port, and the proxy in front of the service`);
  }
  const { status, body } = answer;
  if (fieldOf(body, 'name') !== 'mirzam') {
    const text = `${publicUrl} answers ${status}, and not as this service does`;
    if (status >= 500 && !isRunning)
      return note('PUBLIC_URL', `${text}; no service runs here that could answer`);
    return fault('PUBLIC_URL', `${text}: check PUBLIC_URL, and the proxy in front of the service`);
  }
  if (production && protocol === 'http:') {
    return warning(
      'PUBLIC_URL',
      `${publicUrl} is not https: tokens and sessions cross the network in clear text`,
    );
  }
  return ok('PUBLIC_URL', `${publicUrl} answers`);
}
