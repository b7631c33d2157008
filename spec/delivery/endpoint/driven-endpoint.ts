import type { ActorKind } from '../../../src/actors/kind.js';
import type { EndpointContext, EndpointEvent } from '../../../src/delivery/endpoint/endpoint-machine.js';
import { endpointKind } from '../../../src/delivery/endpoint/endpoints.js';
import { ENDPOINT } from '../../../src/delivery/reporting.js';
import { driveActor } from '../../actors/driven-actor.js';
import type { DrivenActor } from '../../actors/driven-actor.js';
import { memoryStore } from '../../actors/memory-store.js';
import { NO_REPORTS } from '../no-reports.js';

/** An endpoint's machine, written and restored after each change. */
export type Endpoint = DrivenActor<EndpointContext, EndpointEvent>;

/** The kind of the endpoints; its effects lead nowhere. */
export function drivenEndpointKind(): ActorKind {
  const nobody = (): never => {
    throw new Error('a machine alone has no runtimeContext');
  };
  const owner = { suspend: nobody, has: nobody };
  return endpointKind({ ...NO_REPORTS, store: memoryStore(), owner, deadMs: 30 * 86_400_000 });
}

/** An endpoint of which nothing is known yet. */
export function newEndpoint(): Endpoint {
  return driveActor(drivenEndpointKind(), { kind: ENDPOINT, tenant: 'acme', name: 's1' });
}
