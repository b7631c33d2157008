import { useMemo } from 'preact/hooks';
import type { ServerView } from '../../../../src/console/shapes.js';
import { RecentFacts } from '../../forms/backtest/recent-facts.js';
import { useQuery } from '../../query.js';
import { pathTo, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
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
import { Rules, type RulesProps } from './rules.js';
import { SendMeasurements } from './send-measurements.js';
import { recentRows } from './series.js';
import { SubscriptionStates } from './subscription-states.js';
import { Statechart } from './statechart.js';
import { useSeries } from './use-series.js';
import { Windows } from './windows.js';

/** Interval of readings while the words for a time change, ms. */
const EVERY_MS = 5_000;

/** One server: why its rules fire or do not, its windows, its state and what changed. */
export function ServerPage({ tenant, server }: { readonly tenant: string; readonly server: string }) {
  const path = `/console/api/servers/${encodeURIComponent(tenant)}/${encodeURIComponent(server)}`;
  const query = useQuery<ServerView, 'facts' | 'transition' | 'firing' | 'delivery'>(path, {
    on: ['facts', 'transition', 'firing', 'delivery'],
    concerns: (event) => event.serverId === server,
    every: timeMatters,
  });
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
            <RulesAndWindows server={data} changed={query.reload} />
            <SendMeasurements server={data} />
            <Section title="State">
              <div class="server-state panel">
                <Statechart chart={data.chart} state={data.state} />
                <ServerDetails server={data} />
              </div>
              <SubscriptionStates rules={data.rules} />
            </Section>
            <History path={`${path}/history`} server={data} />
          </>
        )}
      </Answer>
    </Page>
  );
}

/** Time alone changes what sentences say, without an event: while there is no data, and at the end of a mute. */
function timeMatters({ rules }: ServerView): number | undefined {
  const changes = rules.some(({ subscriptions }) =>
    subscriptions.some(({ state, mutedUntil }) => state === 'noData' || mutedUntil !== undefined),
  );
  return changes ? EVERY_MS : undefined;
}

/** The rules, whose forms have the recent measurements of the server, and the windows. */
function RulesAndWindows(props: RulesProps) {
  const series = useSeries(props.server);
  const recent = useMemo(() => recentRows(series), [series]);
  return (
    <RecentFacts.Provider value={recent}>
      <Rules {...props} />
      <Windows server={props.server} series={series} />
    </RecentFacts.Provider>
  );
}

function ServerDetails({ server }: { readonly server: ServerView }) {
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
        isOperator.value && [
          'Actor',
          <Link to={pathTo('actors', 'server', tenantId, serverId)}>context, outbox and revision</Link>,
        ],
      ]}
    />
  );
}
