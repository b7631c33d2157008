import { useMemo } from 'preact/hooks';
import type { ServerView, TrendView } from '../../../../src/console/shapes.js';
import { PastOfServer, pastOf } from '../../forms/backtest/past-of-server.js';
import { serverViewPath } from '../../api-paths.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { pathTo, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { DetailList, Page, Section } from '../../ui/page.js';
import { CopiedTenant } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { SOURCE_NAMES } from '../sources/source-names.js';
import { DeleteServer } from './delete-server.js';
import { History, useHistory } from './history.js';
import { Rules } from './rules.js';
import { SendMeasurements } from './send-measurements.js';
import { SubscriptionStates } from './subscription-states.js';
import { Statechart } from './statechart.js';
import { Windows } from './windows.js';

/** A reading of the trend is followed by a pause of so many times its length. */
const TREND_PAUSES = 10;
/** Interval of readings while the words for a time change, ms. */
const EVERY_MS = 5_000;

/** One server: why its rules fire or do not, its windows, its state and what changed. */
export function ServerPage({ tenant, server }: { readonly tenant: string; readonly server: string }) {
  const query = useQuery<ServerView, 'facts' | 'transition' | 'firing' | 'delivery'>(
    serverViewPath(tenant, server),
    {
      on: ['facts', 'transition', 'firing', 'delivery'],
      concerns: (event) => event.serverId === server,
      every: timeMatters,
    },
  );
  const trend = useQuery<TrendView, 'facts'>(serverViewPath(tenant, server, 'trend'), {
    on: ['facts'],
    concerns: (event) => event.serverId === server,
    pauses: TREND_PAUSES,
  });
  const history = useHistory(tenant, server);
  // Without this filter the stream has no facts.
  useLive([], () => undefined, { tenant, server });
  const past = useMemo(
    () => pastOf(trend.data?.trends ?? [], query.data?.windowsize ?? 1),
    [trend.data, query.data?.windowsize],
  );
  return (
    <Page
      title={server}
      heading={
        <>
          <Id text={server} /> {query.data !== undefined && <StateBadge state={query.data.state} />}
        </>
      }
      crumbs={[{ to: pathTo('servers'), text: 'Servers' }]}
      actions={query.data !== undefined && query.data.revision > 0 && <DeleteServer server={query.data} />}
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
            <PastOfServer.Provider value={past}>
              <Rules server={data} changed={query.reload} />
            </PastOfServer.Provider>
            <Windows server={data} trend={trend.data} history={history.data?.history ?? []} />
            <SendMeasurements server={data} />
            <Section title="State">
              <div class="server-state panel">
                <Statechart chart={data.chart} state={data.state} />
                <ServerDetails server={data} />
              </div>
              <SubscriptionStates rules={data.rules} />
            </Section>
            <History query={history} server={data} />
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

function ServerDetails({ server }: { readonly server: ServerView }) {
  const { tenantId, serverId, factId, lastFactAt, lastFactSource, windowsize, revision } = server;
  return (
    <DetailList
      rows={[
        ['Facts', <Num value={factId} />],
        [
          'Last fact',
          <>
            <Time at={lastFactAt} />
            {lastFactSource !== null && `, from ${SOURCE_NAMES[lastFactSource]}`}
          </>,
        ],
        ['Window size', <Num value={windowsize} />],
        ['Revision', <Num value={revision} />],
        ['Tenant', <CopiedTenant id={tenantId} />],
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
