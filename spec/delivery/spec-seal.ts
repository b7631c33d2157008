import { createHeaderSeal } from '../../src/delivery/form/header-seal.js';

/** The seal of headers in specs. */
export const specSeal = createHeaderSeal(Buffer.alloc(32));
