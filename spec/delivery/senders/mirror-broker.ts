import type http from 'node:http';
import { lazy, mixed, object, string } from 'yup';
import { startReceiver, type Got, type Receiver } from './receiver.js';

const uri = string()
  .matches(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]+$/)
  .required();
const value = mixed().test((given) => given !== undefined && given !== null);
const property = object({ type: string().oneOf(['Property']).required(), value }).noUnknown();
const relationship = object({ type: string().oneOf(['Relationship']).required(), object: uri }).noUnknown();
const attribute = lazy((given: unknown) =>
  (given as { type?: unknown } | undefined)?.type === 'Relationship' ? relationship : property,
);
const entity = lazy((given: unknown) => {
  const names = Object.keys(given ?? {}).filter((name) => !['@context', 'id', 'type'].includes(name));
  return object({
    '@context': mixed().required(),
    id: uri,
    type: string().required(),
    ...Object.fromEntries(names.map((name) => [name, attribute])),
  }).required();
});

/** An entity of the stand-in. */
export interface HeldEntity {
  readonly id: string;
  readonly type: string;
  readonly refEntity: { readonly type: string; readonly object?: string; readonly value?: unknown };
  readonly TxReceipts: { readonly type: string; readonly value: Readonly<Record<string, unknown>> };
  readonly retrievalQuery?: { readonly type: string; readonly value: unknown };
}

/** An NGSI-LD broker that creates entities (ETSI GS CIM 009). */
export interface MirrorBroker extends Receiver {
  /** By tenant (empty for the default one) and id. */
  readonly held: ReadonlyMap<string, HeldEntity>;
  /** Executes the next request without an answer, or gives this answer without executing it. */
  fail(how: 'lost' | { readonly status: number; readonly type: string }): void;
}

/** Starts a broker on a free port. */
export async function startMirrorBroker(): Promise<MirrorBroker> {
  const held = new Map<string, HeldEntity>();
  let failure: 'lost' | { readonly status: number; readonly type: string } | undefined;
  const receiver = await startReceiver((response, got) => {
    const failing = failure;
    failure = undefined;
    if (typeof failing === 'object') problem(response, failing.status, failing.type);
    else if (failing === 'lost') {
      create(held, got);
      response.destroy();
    } else {
      const { status, type } = create(held, got);
      if (status === 201) response.writeHead(201, { location: `/ngsi-ld/v1/entities/${type}` }).end();
      else problem(response, status, type);
    }
  });
  return { ...receiver, held, fail: (how) => (failure = how) };
}

function create(held: Map<string, HeldEntity>, got: Got): { readonly status: number; readonly type: string } {
  if (got.url !== '/ngsi-ld/v1/entities' || got.method !== 'POST')
    return { status: 404, type: 'ResourceNotFound' };
  if (got.headers['content-type'] !== 'application/ld+json') return { status: 415, type: 'InvalidRequest' };
  if (got.headers.link !== undefined) return { status: 400, type: 'BadRequestData' };
  let json: unknown;
  try {
    json = JSON.parse(got.body);
  } catch {
    return { status: 400, type: 'InvalidRequest' };
  }
  if (!entity.isValidSync(json, { strict: true })) return { status: 400, type: 'BadRequestData' };
  const { id } = json as HeldEntity;
  const key = `${String(got.headers['ngsild-tenant'] ?? '')} ${id}`;
  if (held.has(key)) return { status: 409, type: 'AlreadyExists' };
  held.set(key, json as HeldEntity);
  return { status: 201, type: id };
}

function problem(response: http.ServerResponse, status: number, type: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: `https://uri.etsi.org/ngsi-ld/errors/${type}`, title: type }));
}
