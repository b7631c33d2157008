import type { LeftOutView, SourcesView, SourceView } from '../../policy/sources/shapes.js';
import { type ApiPart, json, type Operation, type Parameter } from '../operation.js';
import { about, count, list, oneOf, orNull, ref, shape, text, time, varies } from '../schema.js';
import { FACTS, limit, ofNamedTenant, operatorPart, policyPart } from '../apis.js';

const DESCRIPTION =
  'What the node that answers has seen since its start, the source with the newest request first, at most 1,000: the requests, ' +
  'the values that counted, and those that were left out by reason, with the last example of each.';

const listing = (id: string, parameters: readonly Parameter[]): Operation => ({
  id,
  summary: 'List the sources of measurements, and what was left out of them',
  description: DESCRIPTION,
  parameters: [...parameters, limit],
  answer: json(shape<SourcesView>({ sources: list(ref('Source')) })),
  examples: { none: { answer: { sources: [] } } },
});

/** The sources of all tenants. */
export const sources: ApiPart = operatorPart(
  'Operator: sources',
  'Programs that send values without a subscription: Prometheus (remote write), OpenTelemetry and MQTT.',
  { 'GET /operator/sources': listing('listSources', [ofNamedTenant]) },
  {
    Source: shape<SourceView>({
      tenantId: varies(text),
      source: oneOf(['remote-write', 'otlp', 'mqtt']),
      since: about('When its first request came.', time),
      at: about('When its last request came.', time),
      requests: count,
      counted: about('The number of values that counted.', count),
      leftOut: list(
        shape<LeftOutView>({
          why: oneOf([
            'no server',
            'no metric',
            'no time',
            'not a number',
            'out of range',
            'repeated',
            'older',
          ]),
          count,
          at: about('When the last of them came.', time),
          server: about('The server that the last of them named.', text),
          metric: about('The metric that it named.', text),
          value: about('Its value; null if its server left it out, as `repeated` or `older`.', orNull(text)),
          time: about('The time that came with it.', orNull(time)),
        }),
      ),
    }),
  },
);

const written = (what: string) => ({
  schema: about(`The number of ${what} in the request, whether they count or not.`, count),
});

const remoteWrite: Operation = {
  id: 'writeSamples',
  summary: 'Take samples of Prometheus (remote write)',
  description:
    'Remote write 1.0 and 2.0: a message of protobuf in a block of snappy. The label `instance` names the server, `__name__` the ' +
    'metric. A sample counts once by its time, so that the same request may be sent again. Samples that are of no use here ' +
    'are left out: see `GET /v1.0/{tenantId}/sources`. With `FACTS_AUTH=token` a token of the tenant is needed, with `key` ' +
    'the key, in its header or in `Authorization: Bearer`.',
  access: FACTS,
  body: { content: { 'application/x-protobuf': { type: 'string', format: 'binary' } } },
  status: 204,
  answer: {},
  headers: {
    'X-Prometheus-Remote-Write-Samples-Written': written('samples'),
    'X-Prometheus-Remote-Write-Histograms-Written': written('native histograms'),
    'X-Prometheus-Remote-Write-Exemplars-Written': written('exemplars'),
  },
  errors: [404, 415],
};

/** The sources of a tenant. */
export const ownSources: ApiPart = policyPart(
  'Sources',
  'Programs that send values of a tenant without a subscription. [Sources](/docs/sources) has the settings of each.',
  {
    'POST /v1.0/{tenantId}/remote-write': remoteWrite,
    'GET /v1.0/{tenantId}/sources': listing('listOwnSources', []),
  },
);
