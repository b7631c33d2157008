import type { Config } from '../config/config.js';
import type { AdmissionOptions } from '../http/admission/admission.js';

/** Requests worked on at once; one more is answered 503. */
const WORKING = 5_000;
/** Requests that wait for the chain at once; one more is answered 503 before anything is signed. */
const WAITING = 5_000;
/** Bytes of all bodies being received, unless four of the longest are more. */
const BODY_BYTES = 256 * 1024 ** 2;

/** How many requests the service lets in at the same time. */
export function admissionOf({ http, ledger, admission }: Config): AdmissionOptions {
  const longest = Math.max(http.bodyLimit, ledger?.batchLimit ?? 0);
  return {
    maxInFlight: WORKING,
    maxWaiting: WAITING,
    bodyBytes: Math.max(BODY_BYTES, 4 * longest),
    trustedProxies: admission.trustedProxies,
    exempt: ['/health', '/metrics'],
  };
}
