import type { RefusalCode } from '../../errors.js';
import type { ErrorShape } from './error-shape.js';

const ETSI = 'https://uri.etsi.org/ngsi-ld/errors/';

/** Refusals for which NGSI-LD has a type of its own (ETSI GS CIM 009, "Error types"). */
const types: Partial<Readonly<Record<RefusalCode, readonly [name: string, title: string]>>> = {
  unreadable: ['InvalidRequest', 'Invalid request'],
  'bad-request': ['BadRequestData', 'Bad request data'],
  'not-found': ['ResourceNotFound', 'Resource not found'],
  internal: ['InternalError', 'Internal error'],
};

/**
 * `{type, title, status, detail}` and what else the refusal gives along, as `application/problem+json` (RFC 9457). What
 * NGSI-LD has no type for is `about:blank`, which bears the HTTP phrase as its title. Never stored, as no answer of the
 * ledger is.
 */
export const problemErrors: ErrorShape = {
  render({ status, title: phrase, message, code, members }) {
    const [name, title] = (code === undefined ? undefined : types[code]) ?? [undefined, phrase];
    const type = name === undefined ? 'about:blank' : `${ETSI}${name}`;
    return {
      headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
      body: JSON.stringify({ type, title, status, detail: message, ...members }),
    };
  },
};
