import type { Reporting } from '../../src/delivery/reporting.js';

/** Of endpoints of which nothing is known, and which nobody tells anything. */
export const NO_REPORTS: Reporting = {
  now: () => {
    throw new Error('a machine alone has no clock');
  },
  onDeadLetterEnded: () => {
    throw new Error('no dead letter was to end');
  },
};
