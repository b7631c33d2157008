import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../../errors.js';
import { boundedBytes } from '../../../http/body/body.js';
import { bodyTooLong } from '../../../http/body/counted-body.js';
import type { EdgeMiddleware } from '../../../http/context.js';
import { route, type Route } from '../../../http/router.js';
import { quoted } from '../../../untrusted/text.js';
import { inflatedLength } from '../../sources/snappy-length.js';
import type { RemoteWriteMessage } from '../../sources/remote-write.js';
import { pathIds } from '../path-ids.js';
import type { SourceOptions } from './source-options.js';

const TYPE = /^application\/x-protobuf[ \t]*(?<parameters>;.*)?$/i;
const PROTO = /;[ \t]*proto[ \t]*=[ \t]*"?(?<name>[^";\s]*)"?/i;

const ALLOWED =
  'Content-Type must be application/x-protobuf, with proto=prometheus.WriteRequest (or none) for remote write 1.0, or ' +
  'proto=io.prometheus.write.v2.Request for 2.0';

/** Remote write of Prometheus, 1.0 and 2.0 (docs/sources.md). */
export function remoteWriteRoutes({ access, intake, bodies, bodyLimit }: SourceOptions): readonly Route[] {
  const body = boundedBytes(bodyLimit, ({ headers }) => {
    messageOf(headers);
    checkEncoding(headers['content-encoding']);
    return false;
  });
  const write: EdgeMiddleware = async (ctx) => {
    const tenant = await access.admit(ctx);
    const bytes = await body(ctx);
    const message = messageOf(ctx.req.headers);
    const length = inflatedLength(bytes);
    if (length > bodyLimit) throw bodyTooLong(bodyLimit, ', inflated');
    const { facts, samples, histograms, exemplars } = await bodies.read(
      message,
      bytes,
      length,
      ctx.state.client,
    );
    await intake.take(tenant, 'remote-write', facts, ctx.state.trace);
    ctx.set({
      'X-Prometheus-Remote-Write-Samples-Written': String(samples),
      'X-Prometheus-Remote-Write-Histograms-Written': String(histograms),
      'X-Prometheus-Remote-Write-Exemplars-Written': String(exemplars),
    });
    ctx.status = 204;
  };
  return [route(['POST'], '/v1.0/:tenantId/remote-write', pathIds, ...access.sourceChecks, write)];
}

/**
 * Returns the message that a Content-Type names; without one that of 1.0, as Prometheus takes it. Throws
 * `Refusal('unsupported-media-type')`.
 */
function messageOf({ 'content-type': sent }: IncomingMessage['headers']): RemoteWriteMessage {
  const { parameters = '' } =
    (sent === undefined ? undefined : (TYPE.exec(sent) ?? wrongType(sent)))?.groups ?? {};
  const name = PROTO.exec(parameters)?.groups?.['name'] ?? 'prometheus.WriteRequest';
  if (name === 'prometheus.WriteRequest' || name === 'io.prometheus.write.v2.Request') return name;
  return wrongType(sent ?? '');
}

function wrongType(sent: string): never {
  throw new Refusal('unsupported-media-type', `${ALLOWED}; it is ${quoted(sent)}`);
}

/** Throws `Refusal('unsupported-media-type')` unless it is snappy. None is snappy too, as Prometheus takes it. */
function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'snappy') return;
  throw new Refusal(
    'unsupported-media-type',
    `Content-Encoding must be snappy (the block format); it is ${quoted(encoding)}`,
  );
}
