import type { LeftOutView, SourcesView, SourceView } from '../../../../src/policy/sources/shapes.js';
import { ownPath } from '../../api-paths.js';
import { useQuery } from '../../query.js';
import { queryValue, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Answer, Empty } from '../../ui/answer.js';
import { Num } from '../../ui/number.js';
import { Page, Section } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { tenantColumn } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { Filters, TenantFilter } from '../filters.js';
import { SOURCE_NAMES, WHY } from './source-names.js';

const SHOWN = 200;
const EVERY_MS = 3_000;

/** What Prometheus, OpenTelemetry and MQTT sent, and what was left out. */
export function SourcesPage() {
  const tenant = queryValue('tenant');
  const path = withQuery(ownPath('sources'), { tenant, limit: String(SHOWN) });
  const query = useQuery<SourcesView>(path, { every: EVERY_MS });
  return (
    <Page title="Sources">
      <p class="lead">
        What Prometheus, OpenTelemetry and MQTT sent to this node since its start. A value that cannot count
        is left out, without an error for the sender.
      </p>
      {isOperator.value && (
        <Filters>
          <TenantFilter />
        </Filters>
      )}
      <Answer query={query}>
        {({ sources }) => (
          <>
            <Section title="Sources" note="newest first">
              <Table
                label="Sources"
                columns={[...columns, ...tenantColumn('sources', ({ tenantId }: SourceView) => tenantId)]}
                rows={sources}
                rowKey={({ tenantId, source }) => `${source} ${tenantId}`}
                empty={NONE}
              />
            </Section>
            {sources.length > 0 && (
              <Section title="Left out" note="the last of each reason as the example">
                <Table
                  label="Left out"
                  columns={[...reasons, ...tenantColumn('sources', ({ tenantId }: Reason) => tenantId)]}
                  rows={sources.flatMap(reasonsOf)}
                  rowKey={({ tenantId, source, why }) => `${source} ${why} ${tenantId}`}
                  empty={<Empty title="Nothing was left out." />}
                />
              </Section>
            )}
          </>
        )}
      </Answer>
    </Page>
  );
}

const NONE = (
  <Empty
    title="No source has sent anything to this node."
    text="The document “Sources” has the configuration of Prometheus, of a collector of OpenTelemetry and of MQTT clients."
  />
);

const columns: readonly Column<SourceView>[] = [
  { head: 'Source', cell: ({ source }) => SOURCE_NAMES[source] },
  { head: 'Values', cell: ({ counted }) => <Num value={counted} />, number: true, fit: true },
  {
    head: 'Left out',
    cell: ({ leftOut }) => <Num value={leftOut.reduce((sum, { count }) => sum + count, 0)} />,
    number: true,
    fit: true,
  },
  { head: 'Requests', cell: ({ requests }) => <Num value={requests} />, number: true, fit: true },
  { head: 'First', cell: ({ since }) => <Time at={since} />, fit: true },
  { head: 'Last', cell: ({ at }) => <Time at={at} />, fit: true },
];

/** Values of one source of one tenant that were left out for one reason. */
type Reason = LeftOutView & Pick<SourceView, 'tenantId' | 'source'>;

function reasonsOf({ tenantId, source, leftOut }: SourceView): readonly Reason[] {
  return leftOut.map((one) => ({ ...one, tenantId, source }));
}

const reasons: readonly Column<Reason>[] = [
  { head: 'Why', cell: ({ why }) => WHY[why] },
  { head: 'Metric', cell: ({ metric }) => <Id text={metric} /> },
  { head: 'Server', cell: ({ server }) => <Id text={server} /> },
  { head: 'Value', cell: ({ value }) => (value === null ? null : <Id text={value} plain />), fit: true },
  { head: 'Time', cell: ({ time }) => <Time at={time} />, fit: true },
  { head: 'Values', cell: ({ count }) => <Num value={count} />, number: true, fit: true },
  { head: 'Source', cell: ({ source }) => SOURCE_NAMES[source] },
  { head: 'Last', cell: ({ at }) => <Time at={at} />, fit: true },
];
