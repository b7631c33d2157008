import type { AuditView, ChangeView } from '../../../../src/operator/shapes.js';
import { ownPath } from '../../api-paths.js';
import { useQuery } from '../../query.js';
import { queryValue, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Answer, Empty } from '../../ui/answer.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { tenantColumn } from '../../ui/tenant-name.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { ChoiceFilter, Filters, TenantFilter, TextFilter } from '../filters.js';
import { Difference } from './difference.js';

const PAGE_SIZE = '50';
const EVERY_MS = 5_000;
const NAMES = ['tenant', 'what', 'query', 'before'] as const;
const WHAT = [
  'create',
  'change',
  'delete',
  'resume',
  'mute',
  'unmute',
  'acknowledge',
  'unacknowledge',
  'rotate',
  'redeliver',
  'resend',
  'try',
  'discard',
  'import',
];

/** Who changed what, newest first. */
export function AuditPage() {
  const filters = Object.fromEntries(NAMES.map((name) => [name, queryValue(name)]));
  const path = withQuery(ownPath('audit'), { ...filters, limit: PAGE_SIZE });
  const query = useQuery<AuditView>(path, { every: EVERY_MS });
  const isFiltered = NAMES.some((name) => filters[name] !== '');
  return (
    <Page title="Audit">
      <p class="lead">
        Each change by the API, the console, the command line and operators. Measurements are not listed.
      </p>
      <Filters>
        <ChoiceFilter name="what" label="What" all="all changes" choices={WHAT} />
        {isOperator.value && <TenantFilter />}
        <TextFilter name="query" label="Who or target" />
      </Filters>
      <Answer query={query}>
        {({ audit, next }) => (
          <>
            <Table
              label="Changes"
              columns={columns()}
              rows={audit}
              rowKey={(row) => JSON.stringify(row)}
              busy={query.loading}
              empty={
                <Empty
                  title={isFiltered ? 'No such change here.' : 'No changes yet.'}
                  text="Changes are kept for AUDIT_DAYS."
                />
              }
            />
            <Pager name="before" next={next} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function columns(): readonly Column<ChangeView>[] {
  return [
    { head: 'When', cell: ({ at }) => <Time at={at} />, fit: true },
    { head: 'Who', cell: ({ who }) => <Prose text={who} />, fit: true },
    { head: 'By', cell: ({ via }) => via, fit: true },
    { head: 'What', cell: ({ what }) => what, fit: true },
    { head: 'Target', cell: ({ target }) => <Id text={target} /> },
    { head: 'Before and after', cell: (change) => <Difference {...change} /> },
    ...tenantColumn<ChangeView>('audit', ({ tenantId }) => tenantId),
  ];
}
