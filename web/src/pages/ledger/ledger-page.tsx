import type { EntitiesView, EntityRowView, LedgerView } from '../../../../src/ledger/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { entityLines } from '../../curl/entity.js';
import { isOperator, session } from '../../session.js';
import { Answer, Empty } from '../../ui/answer.js';
import { Code } from '../../ui/code.js';
import { IdLink, Link } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { DetailList, Page, Section } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { TextFilter } from '../filters.js';
import { AcceptedOperations } from './accepted-operations.js';
import { Hash } from './hash.js';

/** The chain, and the entities with transactions, newest first. */
export function LedgerPage() {
  return (
    <Page
      title="Ledger"
      actions={
        <Link to="/console/ledger/verify" class="button">
          Verify an entity
        </Link>
      }
    >
      <Chain />
      <AcceptedOperations />
      <Entities />
    </Page>
  );
}

function Chain() {
  const ledger = useQuery<LedgerView>('/console/api/ledger', { on: ['receipt'], every: 5_000 });
  return (
    <Answer query={ledger}>
      {({ down, chain, contract, head, confirmations, finality, entities }) => (
        <DetailList
          rows={[
            ['Chain', down === null ? `id ${chain}` : <span class="bad">{down}</span>],
            ['Newest block', head === null ? 'none seen yet' : <Num value={head} />],
            ['Contract', contract === null ? '–' : <Hash value={contract} label="address of the contract" />],
            ['Answered after', counted(confirmations, 'block')],
            ['Final after', `${finality} blocks`],
            ['Entities', <Num value={entities} />],
          ]}
        />
      )}
    </Answer>
  );
}

const ENTITY: readonly Column<EntityRowView>[] = [
  {
    head: 'Entity',
    cell: ({ entityId }) => <IdLink to={pathTo('ledger', 'entities', entityId)} text={entityId} />,
  },
];

/** The figures of an entity are of all tenants: operators alone have them. */
const FIGURES: readonly Column<EntityRowView>[] = [
  {
    head: 'Transactions',
    number: true,
    fit: true,
    cell: ({ transactions }) => (transactions === null ? '–' : <Num value={transactions} />),
  },
  {
    head: 'Last operation',
    fit: true,
    cell: ({ last }) => (last === null ? '–' : last.operation + (last.ok ? '' : ' (failed)')),
  },
  { head: 'When', fit: true, cell: ({ last }) => <Time at={last?.at} /> },
];

function Entities() {
  const query = queryValue('query');
  const path = withQuery('/console/api/ledger/entities', { query, before: queryValue('before') });
  const entities = useQuery<EntitiesView>(path, { on: ['receipt'] });
  return (
    <Section title="Entities" note="by first transaction, newest first">
      <div class="filters">
        <TextFilter name="query" label="Search by a part of the id" />
      </div>
      <Answer query={entities}>
        {({ entities: rows, next }) => (
          <>
            <Table
              label="Entities"
              columns={isOperator.value ? [...ENTITY, ...FIGURES] : ENTITY}
              rows={rows}
              rowKey={({ entityId }) => entityId}
              busy={entities.loading}
              empty={<Nothing query={query} more={next !== null} />}
            />
            <Pager name="before" next={next} />
            {rows.length > 0 && <RecordLines />}
          </>
        )}
      </Answer>
    </Section>
  );
}

/** The line that records an entity, where no wallet is needed. */
function RecordLines() {
  const { openLedger, publicUrl } = session.value!;
  if (!openLedger) return null;
  return (
    <details class="lines">
      <summary>Record an entity with curl</summary>
      <p class="hint">An account of the service signs for a caller without a wallet.</p>
      <Code text={entityLines(publicUrl)} label="Record an entity with curl" />
    </details>
  );
}

function Nothing({ query, more }: { readonly query: string; readonly more: boolean }) {
  const { openLedger, publicUrl } = session.value!;
  if (query === '') {
    return (
      <Empty title="Nothing is recorded yet">
        <p>
          An entity appears here once its first transaction is in a block: send it to{' '}
          <code>POST /ngsi-ld/v1/entities/</code>.
          {openLedger && ' An account of the service signs it for a caller without a wallet:'}
        </p>
        {openLedger && <Code text={entityLines(publicUrl)} label="Record an entity" />}
      </Empty>
    );
  }
  return (
    <Empty title={more ? 'Nothing found on this page' : 'No such entity'}>
      <p>
        No id {more ? 'among those searched so far' : ''} contains <Id text={query} />.
        {more && ' The next page searches older ones.'}
      </p>
    </Empty>
  );
}
