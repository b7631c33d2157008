import type { ApiPart } from '../operation.js';
import { deliveryOperations } from './deliveries.js';
import { receiverOperations } from './receivers.js';
import { deliveryId, policyPart, receiverId } from '../apis.js';

const PREFIX = '/v1.0/{tenantId}';

const part = policyPart(
  'Receivers and deliveries',
  'The state of the messages of a tenant. Operators may use these paths for every tenant, with OPERATOR_TOKEN.',
  { ...receiverOperations(PREFIX, 'Own'), ...deliveryOperations(PREFIX, 'Own') },
);

/** The receivers and deliveries of a tenant. */
export const ownDeliveries: ApiPart = {
  ...part,
  pathParameters: { ...part.pathParameters, id: deliveryId, receiverId },
};
