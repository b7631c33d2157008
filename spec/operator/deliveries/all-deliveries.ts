import type { DeliveryFilter } from '../../../src/operator/deliveries-view.js';

/** The filter of a list of deliveries that leaves none out, in pages of 1,000. */
export const ALL: DeliveryFilter = {
  state: undefined,
  tenant: undefined,
  server: undefined,
  subscription: undefined,
  receiver: undefined,
  answer: undefined,
  before: undefined,
  limit: 1_000,
};
