import { useState } from 'preact/hooks';
import type { OverviewView, TroubledServer, TroubleGroup } from '../../../../src/console/shapes.js';
import { Acknowledge, type Chosen, unacknowledgedIn } from '../../forms/many-subscriptions.js';
import { pathTo, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { isWall } from '../../wall.js';
import { Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Link, ServerLink } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { OfTenant } from '../../ui/tenant-name.js';
import { Id, nameText, Prose } from '../../ui/text.js';
import { Since } from '../../ui/time.js';
import { allServers } from '../servers/use-servers.js';
import { ComparisonText } from '../comparison-text.js';
import { Marks } from '../marks.js';

/** Servers of a rule that have a row each; more are one row that opens. */
const LISTED = 3;

interface TroublesProps {
  readonly trouble: OverviewView['trouble'];
  /** Called after somebody acknowledged. */
  readonly changed: () => void;
}

/** What fires and what has no data: the worst and oldest first, one row for a rule where many fire. */
export function Troubles({ trouble: { groups, unacknowledged, more }, changed }: TroublesProps) {
  return (
    <Section
      title="In trouble"
      note={
        unacknowledged.count > 0 && (
          <>
            {counted(unacknowledged.count, 'server')}
            {unacknowledged.more && ' or more'} that nobody has acknowledged
          </>
        )
      }
    >
      {groups.length === 0 ? (
        <Empty
          title="No rule fires, and every server has data."
          text="A server that fires or has no data is listed here at once, with the reason."
        />
      ) : (
        <ul class="troubles">
          {groups.map((group) => (
            <Group key={keyOf(group)} group={group} changed={changed} />
          ))}
        </ul>
      )}
      {more && (
        <p class="quiet-text">
          There are others. <Link to="/console/servers">All servers, the worst first</Link>
        </p>
      )}
    </Section>
  );
}

interface GroupProps {
  readonly group: TroubleGroup;
  readonly changed: () => void;
}

function Group({ group, changed }: GroupProps) {
  const { first, servers, acknowledged, ruleName } = group;
  const [open, setOpen] = useState(false);
  const mayChange = !isWall.value && acknowledged < servers;
  // The first rows are those that nobody looks after.
  const isAcknowledged = (place: number): boolean => place >= servers - acknowledged;
  if (servers <= LISTED) {
    return (
      <>
        {first.map((row, i) => (
          <li key={row.serverId}>
            <Trouble row={row} acknowledged={isAcknowledged(i)} changed={changed} alone />
          </li>
        ))}
      </>
    );
  }
  return (
    <li class="trouble-many">
      <details class="trouble-group">
        <summary>
          <GroupLine group={group} />
        </summary>
        <ul>
          {first.map((row, i) => (
            <li key={row.serverId}>
              <Trouble row={row} acknowledged={isAcknowledged(i)} changed={changed} />
            </li>
          ))}
        </ul>
        {servers > first.length && (
          <p class="trouble-rest">
            <Link to={withQuery(pathTo('servers'), filterOf(group))}>
              All {servers.toLocaleString('en')} servers
            </Link>
          </p>
        )}
      </details>
      {!isWall.value && <MuteLink tenantId={group.tenantId} pattern={group.pattern} />}
      {mayChange && (
        <Button
          label={`Acknowledge ${counted(servers - acknowledged, 'server')} of ${nameText(ruleName)}`}
          onClick={() => setOpen(true)}
        >
          Acknowledge {(servers - acknowledged).toLocaleString('en')}
        </Button>
      )}
      {mayChange && (
        <Acknowledge
          open={open}
          chosen={() => unacknowledgedOf(group)}
          count={servers - acknowledged}
          onClose={() => setOpen(false)}
          onDone={changed}
        />
      )}
    </li>
  );
}

/** Reads what nobody has acknowledged on the servers of a group. */
async function unacknowledgedOf(group: TroubleGroup): Promise<readonly Chosen[]> {
  const servers = await allServers(filterOf(group));
  return unacknowledgedIn(servers.filter(({ rule }) => rule?.name === group.ruleName));
}

function filterOf({ state, tenantId, ruleName }: TroubleGroup): Record<string, string> {
  return { state, rule: ruleName, ...(isOperator.value && { tenant: tenantId }) };
}

function GroupLine({ group }: { readonly group: TroubleGroup }) {
  const { state, ruleName, tenantId, servers, acknowledged, muted, since, more } = group;
  const marks = [
    ['acknowledged', acknowledged],
    ['muted', muted],
  ] as const;
  return (
    <span class="trouble-line">
      <StateBadge state={state} />
      <span class="trouble-names">
        <strong>
          <Id text={ruleName} plain />
        </strong>
        : {counted(servers, 'server')}
        {more && ' or more'}
        <OfTenant id={tenantId} />
        {marks.map(
          ([mark, count]) =>
            count > 0 && (
              <span key={mark} class="quiet-text">
                , <Num value={count} /> {mark}
              </span>
            ),
        )}
      </span>
      {since !== null && (
        <span class="trouble-since">
          oldest <Since at={since} />
        </span>
      )}
    </span>
  );
}

interface TroubleProps {
  readonly row: TroubledServer;
  /** True if somebody looks after it. */
  readonly acknowledged: boolean;
  readonly changed: () => void;
  /** True for a row that has no group above it. */
  readonly alone?: boolean;
}

/** A server with the reason, the value against the threshold, and what can be done. */
function Trouble({ row, acknowledged, changed, alone = false }: TroubleProps) {
  const { tenantId, serverId, state, since, rule, sentence, comparison, marks } = row;
  const [open, setOpen] = useState(false);
  const mayChange = !isWall.value && !acknowledged;
  return (
    <div class="trouble">
      <p class="trouble-line">
        <StateBadge state={state} />
        <span class="trouble-names">
          <ServerLink tenant={tenantId} server={serverId} />{' '}
          {alone && (
            <>
              <strong>{rule !== null && <Id text={rule.name} plain />}</strong>
              <OfTenant id={tenantId} />
            </>
          )}
        </span>
        {comparison !== null && state === 'firing' && <ComparisonText comparison={comparison} />}
        {since !== null && (
          <span class="trouble-since">
            for <Since at={since} />
          </span>
        )}
      </p>
      <p class="trouble-sentence">
        <Prose text={sentence ?? ''} />
      </p>
      <div class="trouble-foot">
        <Marks marks={marks} />
        {!isWall.value && alone && <MuteLink tenantId={tenantId} pattern={serverId} />}
        {mayChange && (
          <Button label={`Acknowledge ${nameText(serverId)}`} onClick={() => setOpen(true)}>
            Acknowledge
          </Button>
        )}
      </div>
      {mayChange && (
        <Acknowledge
          open={open}
          chosen={unacknowledgedIn([row])}
          count={1}
          onClose={() => setOpen(false)}
          onDone={changed}
        />
      )}
    </div>
  );
}

/** Leads to the form that mutes by pattern. */
function MuteLink({ tenantId, pattern }: { readonly tenantId: string; readonly pattern: string | null }) {
  if (pattern === null) return null;
  return (
    <Link
      class="button"
      label={`Mute ${nameText(pattern)}`}
      to={withQuery(pathTo('quiet'), { servers: pattern, ...(isOperator.value && { tenant: tenantId }) })}
    >
      Mute
    </Link>
  );
}

function keyOf({ tenantId, ruleName, state }: TroubleGroup): string {
  return JSON.stringify([tenantId, state, ruleName]);
}
