import type { ServerView } from '../../../../src/console/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, withQuery } from '../../router.js';
import { viewer } from '../../session.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { CopyButton } from '../../ui/copy.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { DetailList, Page, Section } from '../../ui/page.js';
import { TenantName } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { History } from './history.js';
import { usePassingTime } from './passing-time.js';
import { Rules } from './rules.js';
import { SendMeasurements } from './send-measurements.js';
import { SubscriptionStates } from './subscription-states.js';
import { Statechart } from './statechart.js';
import { Windows } from './windows.js';
import { WithSeries } from './with-series.js';

interface ServerPageProps {
  readonly tenant: string;
  readonly server: string;
}

/** One server: why its rules fire or do not, its windows, its state and what changed. */
export function ServerPage({ tenant, server }: ServerPageProps) {
  const path = `/console/api/servers/${encodeURIComponent(tenant)}/${encodeURIComponent(server)}`;
  const query = useQuery<ServerView, 'facts' | 'transition' | 'firing' | 'delivery'>(path, {
    on: ['facts', 'transition', 'firing', 'delivery'],
    concerns: (event) => event.serverId === server,
  });
  usePassingTime(query.data, query.reload);
  const isOperator = viewer.value?.kind === 'operator';
  const editing = isOperator ? undefined : { changed: query.reload };
  return (
    <Page
      title={server}
      heading={
        <>
          <Id text={server} /> {query.data !== undefined && <StateBadge state={query.data.state} />}
        </>
      }
      crumbs={[{ to: pathTo('servers'), text: 'Servers' }]}
    >
      <Answer query={query}>
        {(data) => (
          <>
            {data.revision === 0 && (
              <p class="lead">
                Nothing is known of this server yet. It begins with its first rule, subscription or
                measurement.
              </p>
            )}
            <WithSeries server={data}>
              {(series) => (
                <>
                  <Rules server={data} editing={editing} />
                  <Windows server={data} series={series} />
                </>
              )}
            </WithSeries>
            <SendMeasurements server={data} />
            <Section title="State">
              <div class="server-state panel">
                <Statechart chart={data.chart} state={data.state} />
                <ServerDetails server={data} isOperator={isOperator} />
              </div>
              <SubscriptionStates rules={data.rules} />
            </Section>
            <History path={`${path}/history`} serverId={server} rules={data.rules} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function ServerDetails({
  server,
  isOperator,
}: {
  readonly server: ServerView;
  readonly isOperator: boolean;
}) {
  const { tenantId, serverId, factId, lastFactAt, windowsize, revision } = server;
  return (
    <DetailList
      rows={[
        ['Facts', <Num value={factId} />],
        ['Last fact', <Time at={lastFactAt} />],
        ['Window size', <Num value={windowsize} />],
        ['Revision', <Num value={revision} />],
        [
          'Tenant',
          <>
            <TenantName id={tenantId} /> <CopyButton text={tenantId} label="Tenant id" />
          </>,
        ],
        [
          'Messages',
          <Link to={withQuery(pathTo('deliveries'), { tenant: tenantId, server: serverId })}>
            deliveries of this server
          </Link>,
        ],
        isOperator && [
          'Actor',
          <Link to={pathTo('actors', 'server', tenantId, serverId)}>context, outbox and revision</Link>,
        ],
      ]}
    />
  );
}
