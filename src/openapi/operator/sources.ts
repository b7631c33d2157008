import type { LeftOutView, SourcesView, SourceView } from '../../policy/sources/shapes.js';
import { type ApiPart, json, type Operation, type Parameter } from '../operation.js';
import { about, count, list, oneOf, orNull, ref, shape, text, time, varies } from '../schema.js';
import { limit, ofNamedTenant, operatorPart, policyPart, TENANT_OR_OPERATOR } from '../apis.js';

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
  'What measures and sends values by itself: Prometheus (remote write), OpenTelemetry and MQTT.',
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
          why: oneOf(['no server', 'no metric', 'not a number', 'out of range', 'repeated', 'older']),
          count,
          at: about('When the last of them came.', time),
          server: about('What the last of them named as its server.', text),
          metric: about('What it named as its metric.', text),
          value: about('Its value. null for `repeated` and `older` at most.', orNull(text)),
          time: about('The time that came with it.', orNull(time)),
        }),
      ),
    }),
  },
);

/** The sources of a tenant. */
export const ownSources: ApiPart = {
  ...policyPart('Sources', 'What measures and sends values of a tenant by itself.', {
    'GET /v1.0/{tenantId}/sources': listing('listOwnSources', []),
  }),
  access: TENANT_OR_OPERATOR,
};
