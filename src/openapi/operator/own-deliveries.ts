import { type ApiPart, refusal } from '../operation.js';
import { deliveryOperations } from './deliveries.js';
import { receiverOperations } from './receivers.js';
import { deliveryId, policyPart, receiverId } from '../apis.js';

const PREFIX = '/v1.0/{tenantId}';
const UNKNOWN = { parameters: { id: 'msg_0' }, ...refusal(404, 'id: no delivery "msg_0"') };

const part = policyPart(
  'Receivers and deliveries',
  'What became of the messages of a tenant. Operators may use these paths for every tenant, with OPERATOR_TOKEN.',
  {
    ...receiverOperations(PREFIX, 'Own'),
    ...deliveryOperations(PREFIX, 'Own', UNKNOWN),
  },
);

/** The receivers and deliveries of a tenant. */
export const ownDeliveries: ApiPart = {
  ...part,
  access: ['tenant', 'operator'],
  pathParameters: { ...part.pathParameters, id: deliveryId, receiverId },
};
