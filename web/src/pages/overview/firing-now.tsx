import type { FiringView, OverviewView } from '../../../../src/console/shapes.js';
import { isOperator } from '../../session.js';
import { Empty } from '../../ui/answer.js';
import { Shape } from '../../ui/badge.js';
import { Link, ServerLink } from '../../ui/link.js';
import { Count } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { TenantName } from '../../ui/tenant-name.js';
import { Id, Prose } from '../../ui/text.js';
import { Since } from '../../ui/time.js';

/** The firing rules that began last, each with its reason and since when. */
export function FiringNow({ firing: { total, first, more, compared } }: Pick<OverviewView, 'firing'>) {
  return (
    <Section
      title="Firing now"
      note={
        <>
          on <Count value={total} /> {total.count === 1 && !total.more ? 'server' : 'servers'}
        </>
      }
      actions={more && <Link to="/console/servers?state=firing">All firing servers</Link>}
    >
      {first.length === 0 ? (
        <Empty title="No rule fires." text="Rules that fire are listed here at once, with the reason." />
      ) : (
        <ul class="firings">
          {first.map((row) => (
            <Firing key={`${row.tenantId}/${row.serverId}/${row.ruleId}`} row={row} />
          ))}
        </ul>
      )}
      {more && first.length > 0 && (
        <p class="quiet-text">
          {compared === null
            ? 'Others fire too. These began last.'
            : `Others fire too. These began last, of the first ${compared} servers by tenant and id.`}
        </p>
      )}
    </Section>
  );
}

function Firing({ row }: { readonly row: FiringView }) {
  return (
    <li>
      <p class="firing-line">
        <Shape tone="bad" />
        <span class="firing-names">
          <ServerLink tenant={row.tenantId} server={row.serverId} />{' '}
          <strong>
            <Id text={row.ruleName} plain />
          </strong>
          {isOperator.value && (
            <span class="quiet-text">
              {' '}
              of <TenantName id={row.tenantId} />
            </span>
          )}
          {row.subscriptions > 1 && <span class="quiet-text"> with {row.subscriptions} subscriptions</span>}
        </span>
        {row.since !== null && (
          <span class="firing-since">
            for <Since at={row.since} />
          </span>
        )}
      </p>
      <p class="firing-sentence">
        <Prose text={row.sentence} />
      </p>
    </li>
  );
}
