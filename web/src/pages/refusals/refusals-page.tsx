import type { RefusalsView, RefusalView } from '../../../../src/operator/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Page, Section } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { TenantLink } from '../../ui/tenant-name.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { Filters, TenantFilter } from '../filters.js';

const SHOWN = 200;
const EVERY_MS = 3_000;

/** The measurements that this node refused, newest first. The brokers that sent them read no answer. */
export function RefusalsPage() {
  const tenant = queryValue('tenant');
  const path = withQuery('/operator/refusals', { tenant, limit: String(SHOWN) });
  const query = useQuery<RefusalsView>(path, { every: EVERY_MS });
  return (
    <Page title="Refused measurements">
      <p class="lead">
        Measurements that this node refused, in whole or in part. Context brokers do not read the answer: only
        this page shows it.
      </p>
      <Filters>
        <TenantFilter />
      </Filters>
      <Answer query={query}>
        {({ refusals }) => (
          <Section title="Refusals" note={refusals.length === SHOWN ? `the newest ${SHOWN}` : 'newest first'}>
            <Table
              label="Refused measurements"
              columns={columns}
              rows={refusals}
              rowKey={keyOf}
              empty={tenant === '' ? NONE : NONE_FOUND}
            />
          </Section>
        )}
      </Answer>
    </Page>
  );
}

/** What equal refusals of a minute share. */
function keyOf({ at, tenant, path, status, message }: RefusalView): string {
  return JSON.stringify([at.slice(0, 16), tenant, path, status, message]);
}

const NONE = (
  <Empty
    title="No measurement was refused."
    text="The last 1,000 refusals since the start of this node are listed here, each with the reason."
  />
);
const NONE_FOUND = (
  <Empty title="None of this tenant." text={<Link to={pathTo('refusals')}>Show those of all tenants</Link>} />
);

const columns: readonly Column<RefusalView>[] = [
  { head: 'Status', cell: ({ status }) => (status === 200 ? '200, in part' : status), fit: true },
  { head: 'Why', cell: ({ message }) => <Prose text={message} /> },
  { head: 'Path', cell: ({ path }) => <Id text={path} /> },
  { head: 'Tenant', cell: ({ tenant }) => <TenantLink id={tenant} list="refusals" />, fit: true },
  { head: 'Times', cell: ({ times }) => <Num value={times} />, number: true, fit: true },
  { head: 'Last', cell: ({ at }) => <Time at={at} />, fit: true },
];
