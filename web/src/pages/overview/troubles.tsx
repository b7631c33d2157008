import { useState } from 'preact/hooks';
import type { OverviewView, TroubleGroup, TroubleRow } from '../../../../src/console/shapes.js';
import { Acknowledge } from '../../forms/acknowledge.js';
import { pathTo, withQuery } from '../../router.js';
import { isOperator, session } from '../../session.js';
import { isWall } from '../../wall.js';
import { Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Link, ServerLink } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { TenantName } from '../../ui/tenant-name.js';
import { Id, nameText, Prose } from '../../ui/text.js';
import { Since } from '../../ui/time.js';
import { ComparisonText } from '../comparison-text.js';
import { Marks } from '../marks.js';

/** So many servers of a rule are listed each; more are one row that opens. */
const LISTED = 3;

interface TroublesProps {
  readonly trouble: OverviewView['trouble'];
  /** Called after somebody acknowledged. */
  readonly changed: () => void;
}

/** What fires and what is silent: the worst and oldest first, one row for a rule where many fire. */
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
          title="No rule fires, and no server is silent."
          text="Servers that need somebody are listed here at once, with the reason."
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
  const { first, servers } = group;
  if (servers <= LISTED) {
    return (
      <>
        {first.map((row) => (
          <li key={row.serverId}>
            <Trouble row={row} changed={changed} alone />
          </li>
        ))}
      </>
    );
  }
  return (
    <li>
      <details class="trouble-group">
        <summary>
          <GroupLine group={group} />
        </summary>
        <ul>
          {first.map((row) => (
            <li key={row.serverId}>
              <Trouble row={row} changed={changed} />
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
    </li>
  );
}

function filterOf({ state, tenantId }: TroubleGroup): Record<string, string> {
  return { state, ...(isOperator.value && { tenant: tenantId }) };
}

function GroupLine({ group }: { readonly group: TroubleGroup }) {
  const { state, ruleName, tenantId, servers, acknowledged, since } = group;
  return (
    <span class="trouble-line">
      <StateBadge state={state} />
      <span class="trouble-names">
        <strong>
          <Id text={ruleName} plain />
        </strong>
        : {counted(servers, 'server')}
        {isOperator.value && (
          <span class="quiet-text">
            {' '}
            of <TenantName id={tenantId} />
          </span>
        )}
        {acknowledged > 0 && (
          <span class="quiet-text">
            , <Num value={acknowledged} /> acknowledged
          </span>
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
  readonly row: TroubleRow;
  readonly changed: () => void;
  /** True for a row that has no group above it. */
  readonly alone?: boolean;
}

/** A server with the reason, the value against the threshold, and what can be done. */
function Trouble({ row, changed, alone = false }: TroubleProps) {
  const { tenantId, serverId, state, since, rule, sentence, comparison, marks } = row;
  const [open, setOpen] = useState(false);
  const mayChange = session.value!.csrf !== null && !isWall.value;
  return (
    <div class="trouble">
      <p class="trouble-line">
        <StateBadge state={state} />
        <span class="trouble-names">
          <ServerLink tenant={tenantId} server={serverId} />{' '}
          {alone && (
            <>
              <strong>
                <Id text={rule.name} plain />
              </strong>
              {isOperator.value && (
                <span class="quiet-text">
                  {' '}
                  of <TenantName id={tenantId} />
                </span>
              )}
            </>
          )}
        </span>
        {comparison !== null && <ComparisonText comparison={comparison} />}
        {since !== null && (
          <span class="trouble-since">
            for <Since at={since} />
          </span>
        )}
      </p>
      <p class="trouble-sentence">
        <Prose text={sentence} />
      </p>
      <div class="trouble-foot">
        <Marks marks={marks} />
        {mayChange && (
          <Button kind="quiet" label={`Acknowledge ${nameText(serverId)}`} onClick={() => setOpen(true)}>
            Acknowledge
          </Button>
        )}
      </div>
      {mayChange && <Acknowledge open={open} rows={[row]} onClose={() => setOpen(false)} onDone={changed} />}
    </div>
  );
}

function keyOf({ tenantId, ruleName, state }: TroubleGroup): string {
  return JSON.stringify([tenantId, state, ruleName]);
}
