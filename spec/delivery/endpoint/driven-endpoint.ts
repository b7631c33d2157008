import type { ActorKind } from '../../../src/actors/kind.js';
import {
  ENDPOINT,
  type EndpointContext,
  type EndpointEvent,
} from '../../../src/delivery/endpoint/endpoint-machine.js';
import { endpointKind } from '../../../src/delivery/endpoint/endpoint-kind.js';
import { driveActor, type DrivenActor } from '../../actors/stage/driven-actor.js';
import { memoryStore } from '../../actors/stage/memory-store.js';

/** An endpoint, written to a document and restored after each change. */
export type Endpoint = DrivenActor<EndpointContext, EndpointEvent>;

/** The kind of the endpoints for a machine alone. */
export function drivenEndpointKind(): ActorKind {
  const idle = (): never => {
    throw new Error('a machine alone has no effects');
  };
  return endpointKind({
    store: memoryStore(),
    owner: { suspend: idle, has: idle },
    deadMs: 30 * 86_400_000,
    now: idle,
    onDeadLetterEnded: idle,
  });
}

/** An endpoint without failures. */
export function newEndpoint(): Endpoint {
  return driveActor(drivenEndpointKind(), { kind: ENDPOINT, tenant: 'acme', name: 's1' });
}
