import type { Config } from '../config/config.js';
import type { AdmissionOptions } from '../http/admission/admission.js';

/** Most requests in progress. One more is answered 503. */
const WORKING = 5_000;
/** Most requests that wait for the chain. One more is answered 503 before anything is signed. */
const WAITING = 5_000;
/** Most bytes of bodies in receipt, unless four of the longest bodies are more. */
const BODY_BYTES = 256 * 1024 ** 2;

/** Returns the limits of concurrent requests. */
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
