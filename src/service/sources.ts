import { refusalOf } from '../http/failures/failure.js';
import type { Policy } from '../policy/policy.js';
import {
  createSourceIntake,
  refusingServersParts,
  type SourceReply,
} from '../policy/sources/source-intake.js';
import { createSourceReports } from '../policy/sources/source-reports.js';
import type { SourceName } from '../policy/facts/facts.js';
import type { OpenedParts, Sources } from './context.js';

/** Where the refused measurements of a source are shown to come from. */
const PATHS: Readonly<Record<SourceName, (tenantId: string) => string>> = {
  'remote-write': (tenantId) => `/v1.0/${tenantId}/remote-write`,
  otlp: (tenantId) => `/v1.0/${tenantId}/otlp/v1/metrics`,
  mqtt: (tenantId) => `mirzam/${tenantId}`,
};

/** Opens the intake of sources. */
export function openSources(
  { config, metrics, refusals, now }: Pick<OpenedParts, 'config' | 'metrics' | 'refusals' | 'now'>,
  policy: Policy,
): Sources {
  const reports = createSourceReports(now);
  const intake = createSourceIntake({
    servers: policy.servers,
    settings: { hdd: config.facts.hddReading, metrics: config.metrics },
    refusalOf: (error) => refusalOf(error, 'POST'),
    observer: {
      taken(tenant, source, reply, evaluations) {
        metrics.rules.evaluated(evaluations);
        metrics.rules.leftOut(reply.leftOut);
        reports.add(tenant, source, reply);
        if (reply.refused.length === 0) return;
        const path = PATHS[source](tenant);
        refusals.add({ tenant, isKnown: true, path, status: 200, message: refusedText(reply) });
      },
    },
  });
  return { intake, reports };
}

function refusedText({ refused }: SourceReply): string {
  const values = refused.reduce((sum, one) => sum + one.values, 0);
  const named = refusingServersParts(refused, ({ serverId, message }) => `server ${serverId}: ${message}`);
  return `${values} ${values === 1 ? 'value' : 'values'} refused: ${named.join('; ')}`;
}
