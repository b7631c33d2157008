import type { LeftOut } from './left-out.js';
import type { SourceReply } from './source-intake.js';
import type { SourceName } from '../facts/facts.js';
import type { SourceView } from './shapes.js';
import { isoOf } from '../../system/iso.js';
import { lruCache } from '../../system/lru-cache.js';

/** What this node has seen of the sources. */
export type SourceReports = ReturnType<typeof createSourceReports>;

/** Maximum number of pairs of a tenant and a source. */
const REPORTS_LIMIT = 1_000;

/** The requests of one source of one tenant. */
interface Report {
  readonly tenantId: string;
  readonly source: SourceName;
  /** First and last request, ms since the epoch. */
  readonly since: number;
  at: number;
  requests: number;
  counted: number;
  /** By reason, each with the time of its last request. */
  readonly leftOut: Map<LeftOut['why'], LeftOut & { readonly at: number }>;
}

/**
 * Makes the empty reports of this node: what each source of each tenant sent, and what was left out of it, with the last
 * example of each reason. Beyond 1,000 of them, the one whose last request is the oldest goes. `now`: ms since the epoch.
 */
export function createSourceReports(now: () => number) {
  const reports = lruCache<Report>(REPORTS_LIMIT);
  return {
    add(tenantId: string, source: SourceName, { counted, leftOut }: SourceReply): void {
      const at = now();
      const key = `${source} ${tenantId}`;
      const report = reports.get(key) ?? newReport(tenantId, source, at);
      reports.set(key, report);
      report.at = at;
      report.requests += 1;
      report.counted += counted;
      for (const one of leftOut) {
        const count = (report.leftOut.get(one.why)?.count ?? 0) + one.count;
        report.leftOut.set(one.why, { ...one, count, at });
      }
    },
    /** Returns those of a tenant, or of all, the newest first. */
    list(tenantId: string | undefined, limit: number): readonly SourceView[] {
      return [...reports.values()]
        .filter((report) => tenantId === undefined || report.tenantId === tenantId)
        .slice(0, limit)
        .map(viewOf);
    },
  };
}

function newReport(tenantId: string, source: SourceName, at: number): Report {
  return { tenantId, source, since: at, at, requests: 0, counted: 0, leftOut: new Map() };
}

function viewOf({ tenantId, source, since, at, requests, counted, leftOut }: Report): SourceView {
  return {
    tenantId,
    source,
    since: isoOf(since),
    at: isoOf(at),
    requests,
    counted,
    leftOut: [...leftOut.values()].map(
      ({ why, count, at: last, last: { server, metric, value, at: time } }) => ({
        why,
        count,
        at: isoOf(last),
        server,
        metric,
        value: value === undefined ? null : String(value),
        time: time === undefined || Number.isNaN(new Date(time).getTime()) ? null : isoOf(time),
      }),
    ),
  };
}
