import { useState } from 'preact/hooks';
import type { TenantLimits, TenantsView, TenantSummary } from '../../../../src/operator/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { Id, nameText, ShortId } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { DeleteTenant } from './delete-tenant.js';

const PAGE_SIZE = '50';
const EVERY_MS = 3_000;

/** Everything durable, secrets too, as a file that `mirzam import` reads. */
const EXPORT = (
  <a class="button" href="/operator/export" download="mirzam-export.ndjson">
    Export all
  </a>
);

/** The tenants of the service, for operators. */
export function TenantsPage() {
  const after = queryValue('after');
  const query = useQuery<TenantsView>(withQuery('/operator/tenants', { after, limit: PAGE_SIZE }), {
    every: EVERY_MS,
  });
  const [asked, setAsked] = useState<TenantSummary>();
  return (
    <Page title="Tenants" actions={EXPORT}>
      <p class="lead">
        A tenant is known from its first token on. A deleted tenant is known again from its next token on,
        without its former data.
      </p>
      <Answer query={query}>
        {({ tenants, limits, next }) => (
          <>
            {limits.requestsPerSecond !== null && (
              <p>
                Each can send <Num value={limits.requestsPerSecond} /> requests per second to each node.
              </p>
            )}
            <Table
              label="Tenants"
              columns={columnsOf(limits, setAsked)}
              rows={tenants}
              rowKey={({ id }) => id}
              busy={query.loading}
              empty={
                <Empty title="No tenants yet." text="The first valid token of a tenant makes it known." />
              }
            />
            <Pager name="after" next={next} />
          </>
        )}
      </Answer>
      {asked !== undefined && (
        <DeleteTenant
          tenant={asked}
          onClose={() => setAsked(undefined)}
          onDone={() => {
            setAsked(undefined);
            query.reload();
          }}
        />
      )}
    </Page>
  );
}

/** A number beside its limit, if there is one. */
function Limited({ value, most }: { readonly value: number; readonly most: number | null }) {
  if (most === null) return <Num value={value} />;
  return (
    <>
      <Num value={value} /> of <Num value={most} />
    </>
  );
}

function columnsOf(
  limits: TenantLimits,
  onDelete: (tenant: TenantSummary) => void,
): readonly Column<TenantSummary>[] {
  const nameOf = ({ id, names }: TenantSummary): string => names[0] ?? id;
  return [
    {
      head: 'Tenant',
      cell: (tenant) => (
        <Link to={withQuery(pathTo('servers'), { tenant: tenant.id })}>
          <Id text={nameOf(tenant)} plain />
        </Link>
      ),
    },
    { head: 'Id', cell: ({ id }) => <ShortId text={id} />, fit: true },
    {
      head: 'Servers',
      cell: ({ servers }) => <Limited value={servers} most={limits.servers} />,
      number: true,
      fit: true,
    },
    {
      head: 'Subscriptions',
      cell: ({ subscriptions }) => <Limited value={subscriptions} most={limits.subscriptions} />,
      number: true,
      fit: true,
    },
    { head: 'Firing', cell: ({ firing }) => <Num value={firing} />, number: true, fit: true },
    { head: 'Last token', cell: ({ seenAt }) => <Time at={seenAt} />, fit: true },
    {
      head: 'Change',
      cell: (tenant) =>
        tenant.state === undefined ? (
          <Button kind="quiet" label={`Delete ${nameText(nameOf(tenant))}`} onClick={() => onDelete(tenant)}>
            Delete
          </Button>
        ) : (
          <StateBadge state={tenant.state} />
        ),
      fit: true,
    },
  ];
}
