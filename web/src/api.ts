/** Requests to the service. Paths are absolute; the cookie goes with them. */
import type { Login, LogoutView, SessionView } from '../../src/console/shapes.js';
import { fieldOf, jsonOf, textOf } from '../../src/untrusted/json.js';
import { endSession, isOperator, leaveSession, session, showSession } from './session.js';

const SESSION_PATH = '/console/api/session';
const POLICY_API = '/v1.0/';
/** A reading without an answer after this time fails, s. A change does not: nobody would know whether it was made. */
const READ_S = 15;

/** A request that was refused, or that did not arrive (`status` 0). `message` is the API's own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Returns what an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reads JSON. Throws an `ApiError`, also without an answer in time; a request that `signal` ends throws its reason. */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>('GET', path, undefined, signal);
}

/** Sends a change with the CSRF token of the session. Returns the answer's JSON, undefined for an empty one. */
export function send<T = unknown>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  return request<T>(method, path, body === undefined ? undefined : JSON.stringify(body));
}

/** As `send`, with a body that is JSON text already: it arrives as it is. */
export function sendText<T>(method: 'POST' | 'PUT', path: string, json: string): Promise<T> {
  return request<T>(method, path, json);
}

/** Number of the newest reading of the session. */
let newest = 0;

/** Reads and returns the session. Does not show it if a newer reading has begun meanwhile. Throws an `ApiError`. */
export async function loadSession(): Promise<SessionView> {
  newest += 1;
  const own = newest;
  const read = await get<SessionView>(SESSION_PATH);
  if (own === newest) showSession(read);
  return read;
}

/** Reads the session again. Keeps the present one if the service does not answer. Does not throw. */
export async function reloadSession(): Promise<void> {
  await loadSession().catch(() => undefined);
}

/**
 * Logs in. Throws an `ApiError`: of status 401 if name, password or token are wrong, of status 0 if the browser has not kept
 * the cookie of the session.
 */
export async function logIn(login: Login): Promise<void> {
  await send('POST', SESSION_PATH, login);
  const { csrf, publicUrl } = await loadSession();
  if (csrf === null) throw new ApiError(cookieRefused(publicUrl), 0);
}

/** A browser keeps a cookie that is for https, as PUBLIC_URL says, from no address with http. */
function cookieRefused(publicUrl: string): string {
  const { protocol, origin } = window.location;
  const mend =
    protocol === 'http:' && publicUrl.startsWith('https:')
      ? `It is kept only over https: open the console at ${publicUrl}/console.`
      : `Allow cookies of ${origin}, and log in again.`;
  return `The log-in was right, but the browser has not kept the cookie of the session. ${mend}`;
}

/** Logs out, at the OpenID provider of the session too. Without one, shows what is there without a session. */
export async function logOut(): Promise<void> {
  const { providerLogout, ...left } = await leaveSession(() => send<LogoutView>('DELETE', SESSION_PATH));
  // A reading under way may still say that the viewer is there.
  newest += 1;
  if (providerLogout === null) showSession(left);
  else window.location.assign(providerLogout);
}

async function request<T>(method: string, path: string, body?: string, signal?: AbortSignal): Promise<T> {
  const csrf = session.value?.csrf ?? null;
  const { response, text } = await arrived(path, {
    method,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(method !== 'GET' && csrf !== null && { 'X-CSRF-Token': csrf }),
      // Without a session an operator is let in by the address; the policy API has to be told.
      ...(csrf === null && isOperator.value && path.startsWith(POLICY_API) && { 'X-Operator-Token': 'none' }),
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    cache: 'no-store',
  });
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  // Somebody may have logged in again since the request was sent.
  const isOfPresent = csrf === (session.value?.csrf ?? null);
  if (response.status === 401 && path !== SESSION_PATH && isOfPresent) endSession();
  throw new ApiError(messageIn(jsonOf(text)) ?? `The service answered ${response.status}.`, response.status);
}

async function arrived(path: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  const late = new AbortController();
  const timer = init.method === 'GET' ? setTimeout(() => late.abort(), READ_S * 1_000) : undefined;
  try {
    const signal = AbortSignal.any([late.signal, init.signal ?? []].flat());
    const response = await fetch(path, { ...init, signal });
    return { response, text: await response.text() };
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(late.signal.aborted ? LATE : LOST, 0);
  } finally {
    clearTimeout(timer);
  }
}

const LOST = 'The service does not answer. It may be starting, or the connection is lost.';
const LATE =
  `The service has not answered for ${READ_S} seconds. It may be busy. Or this browser has no connection left: ` +
  'close some windows of the console.';

/** Returns the message of an error of the policy interface (`error.message`) or of a problem (`detail`). */
function messageIn(body: unknown): string | undefined {
  return textOf(fieldOf(body, 'error', 'message') ?? fieldOf(body, 'detail'));
}
