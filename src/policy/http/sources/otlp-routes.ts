import { Refusal } from '../../../errors.js';
import { boundedBytes, isCompressed } from '../../../http/body/body.js';
import type { EdgeMiddleware } from '../../../http/context.js';
import type { ErrorFormat } from '../../../http/failures/error-formats.js';
import type { RouteGroup } from '../../../http/route-groups.js';
import { type Route, route } from '../../../http/router.js';
import { presentable, quoted } from '../../../untrusted/text.js';
import { pathIds } from '../path-ids.js';
import type { SourceOptions } from './source-options.js';
import { refusingServersParts, type SourceReply } from '../../sources/source-intake.js';
import {
  exportResponse,
  OTLP_TYPES,
  otlpEncodingOf,
  type Rejected,
  statusOf,
} from '../../sources/otlp/otlp-answers.js';

/** Each error of OTLP/HTTP is a Status in the encoding of the request, whichever part refuses it. */
const otlpErrors: ErrorFormat = ({ status, message, requestType }) => {
  const encoding = otlpEncodingOf(requestType) ?? 'json';
  const headers = { 'Content-Type': OTLP_TYPES[encoding] };
  return { headers, body: statusOf(encoding, message, status === 400) };
};

/** The paths of OTLP. */
export const otlpGroup: RouteGroup = { prefix: '/v1.0', suffix: '/otlp/v1/metrics', errors: otlpErrors };

/** Metrics of OpenTelemetry by OTLP/HTTP (docs/sources.md). */
export function otlpRoutes({ access, bodies, intake, bodyLimit }: SourceOptions): readonly Route[] {
  const body = boundedBytes(bodyLimit, (req) => {
    if (otlpEncodingOf(req.headers['content-type']) === undefined) {
      throw wrongType(req.headers['content-type']);
    }
    return isCompressed(req, 'unsupported-media-type');
  });
  const take: EdgeMiddleware = async (ctx) => {
    const tenant = await access.admit(ctx);
    const bytes = await body(ctx);
    const encoding = otlpEncodingOf(ctx.req.headers['content-type'])!;
    const { facts } = await bodies.read(`otlp ${encoding}`, bytes, bytes.length, ctx.state.client);
    const reply = await intake.take(tenant, 'otlp', facts, ctx.state.trace);
    ctx.status = 200;
    ctx.set('Content-Type', OTLP_TYPES[encoding]);
    ctx.body = exportResponse(encoding, rejectedOf(reply));
  };
  return [route(['POST'], '/v1.0/:tenantId/otlp/v1/metrics', pathIds, ...access.sourceChecks, take)];
}

function wrongType(sent: string | undefined): Refusal {
  return new Refusal(
    'unsupported-media-type',
    `Content-Type must be application/x-protobuf or application/json; it is ${sent === undefined ? 'none' : quoted(sent)}`,
  );
}

/** Returns the values of known metrics that were left out; undefined if there are none. */
function rejectedOf({ leftOut, refused }: SourceReply): Rejected | undefined {
  const reasons = leftOut.filter(({ why }) => why !== 'no metric');
  const counts = [...reasons.map(({ count }) => count), ...refused.map(({ values }) => values)];
  if (counts.length === 0) return undefined;
  const left = reasons.map(
    ({ why, count, last: { metric, server } }) =>
      `${count} ${why} (the last: ${quoted(metric)} of ${server === '' ? 'no server' : quoted(server)})`,
  );
  const not = refusingServersParts(
    refused,
    ({ serverId, values, message }) => `${values} refused by ${serverId}: ${message}`,
  );
  const dataPoints = counts.reduce((sum, count) => sum + count, 0);
  const message = `values left out: ${[...left, ...not].join('; ')}`;
  return { dataPoints, message: presentable(message) };
}
