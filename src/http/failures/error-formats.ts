import type { RefusalCode } from '../../errors.js';
import type { Failure } from './failure.js';

/** The format of an API's errors: renders one. */
export type ErrorFormat = (error: ShownError) => RenderedError;

/** The parts of an error that an API may show; `message` has no control characters. */
export interface ShownError extends Omit<Failure, 'headers'> {
  /** The HTTP phrase of `status`. */
  readonly title: string;
  /** The Content-Type of the request; undefined if it has none, or could not be read. */
  readonly requestType: string | undefined;
}

/** An error's body, and the headers of its format, Content-Type among them. */
export interface RenderedError {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** `{"error":{"message","code","title"}}` (policy §7). */
export const policyErrors: ErrorFormat = ({ status, title, message }) => ({
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ error: { message, code: status, title } }),
});

const ETSI = 'https://uri.etsi.org/ngsi-ld/errors/';

/** Error types of NGSI-LD (ETSI GS CIM 009, "Error types"). */
const types: Partial<Readonly<Record<RefusalCode, readonly [name: string, title: string]>>> = {
  unreadable: ['InvalidRequest', 'Invalid request'],
  'bad-request': ['BadRequestData', 'Bad request data'],
  'not-found': ['ResourceNotFound', 'Resource not found'],
  internal: ['InternalError', 'Internal error'],
};

/**
 * `{type, title, status, detail}` and the additional members, as `application/problem+json` (RFC 9457). A refusal without
 * a type of NGSI-LD has the type `about:blank` and the HTTP phrase as its title. No answer of the ledger may be cached.
 */
export const problemErrors: ErrorFormat = ({ status, title: phrase, message, code, members }) => {
  const [name, title] = (code === undefined ? undefined : types[code]) ?? [undefined, phrase];
  const type = name === undefined ? 'about:blank' : `${ETSI}${name}`;
  return {
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ type, title, status, detail: message, ...members }),
  };
};
