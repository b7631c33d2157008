import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleStatesView, RuleStateView } from '../../../../src/console/shapes.js';
import { useQuery } from '../../query.js';
import { pathTo, queryValue, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { Answer, Empty } from '../../ui/answer.js';
import { stateText } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Link, ServerLink } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { type Column, Table } from '../../ui/table.js';
import { tenantColumn } from '../../ui/tenant-name.js';
import { Id, nameText } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { Filters, TenantFilter, TextFilter } from '../filters.js';
import { BindForm } from './bind-form.js';

/** Rules of a page. */
const PAGE = 100;

const STATES = ['firing', 'noData', 'pending', 'filling', 'calm'] as const;
/** The colour of a number of servers in a state that needs somebody. */
const TONES: Readonly<Record<string, string>> = { firing: 'bad', noData: 'bad', pending: 'warn' };

/** The rules of the fleet: on how many servers each is bound, and in which states these are. */
export function RuleStatesPage() {
  const filter = { tenant: queryValue('tenant'), after: queryValue('after'), limit: String(PAGE) };
  const query = useQuery<RuleStatesView>(withQuery('/console/api/rules', filter), {
    on: ['transition'],
    every: 5_000,
    pauses: 20,
  });
  const [bound, bind] = useState<RuleStateView>();
  const close = (): void => bind(undefined);
  const name = queryValue('query').toLowerCase();
  return (
    <Page title="Rules by state">
      <Filters>
        <TextFilter name="query" label="Part of the name" />
        {isOperator.value && <TenantFilter />}
      </Filters>
      <Answer query={query}>
        {({ rules, next, evaluatedSince }) => (
          <>
            <Table
              label="Rules by state"
              columns={columnsFor(bind)}
              rows={worstFirst(rules.filter((rule) => rule.name.toLowerCase().includes(name)))}
              rowKey={({ tenantId, ruleId }) => `${tenantId}/${ruleId}`}
              empty={<Empty title="No rule" text="Rules appear here once they exist, and fit the filters." />}
            />
            <p class="search-note">
              “Last evaluation” counts measurements that came to this node since its start{' '}
              <Time at={evaluatedSince} />.
            </p>
            <Pager name="after" next={next} />
          </>
        )}
      </Answer>
      <Dialog open={bound !== undefined} title="Subscribe many servers" onClose={close}>
        {bound !== undefined && <BindForm rule={bound} onDone={query.reload} onClose={close} />}
      </Dialog>
    </Page>
  );
}

/** Sorts the rules of a page: those with most servers that fire first, then those with most without data. */
function worstFirst(rules: readonly RuleStateView[]): readonly RuleStateView[] {
  return rules.toSorted((a, b) => {
    const state = STATES.find((one) => a.states[one] !== b.states[one]);
    return state === undefined ? a.name.localeCompare(b.name) : b.states[state] - a.states[state];
  });
}

function columnsFor(bind: (rule: RuleStateView) => void): readonly Column<RuleStateView>[] {
  const listOf = ({ tenantId, ruleId }: RuleStateView, state = ''): string =>
    withQuery(pathTo('servers'), { state, rule: ruleId, ...(isOperator.value && { tenant: tenantId }) });
  return [
    {
      head: 'Rule',
      cell: (rule) => (
        <>
          <Link to={listOf(rule)}>
            <Id text={rule.name} plain />
          </Link>{' '}
          {rule.serverId !== null && (
            <span class="quiet-text">
              of <ServerLink tenant={rule.tenantId} server={rule.serverId} />{' '}
            </span>
          )}
          {Object.entries(rule.labels).map(([label, value]) => (
            <Fragment key={label}>
              <span class="tag">
                <Id text={`${label}=${value}`} plain />
              </span>{' '}
            </Fragment>
          ))}
        </>
      ),
    },
    ...tenantColumn('rule-states', ({ tenantId }: RuleStateView) => tenantId),
    {
      head: 'Bound',
      number: true,
      fit: true,
      cell: ({ states }) => <Num value={STATES.reduce((sum, state) => sum + states[state], 0)} />,
    },
    ...STATES.map((state): Column<RuleStateView> => ({
      head: stateText(state),
      number: true,
      fit: true,
      cell: (rule) =>
        rule.states[state] === 0 ? (
          <span class="quiet-text">0</span>
        ) : (
          <Link to={listOf(rule, state)} class={`state-number ${TONES[state] ?? ''}`}>
            <Num value={rule.states[state]} />
          </Link>
        ),
    })),
    {
      head: 'Last evaluation',
      fit: true,
      cell: ({ lastEvaluation }) => <Time at={lastEvaluation} />,
    },
    {
      head: 'Actions',
      fit: true,
      // A rule of one server has no subscriptions at others.
      cell: (rule) =>
        rule.serverId === null && (
          <span class="row-buttons">
            <Button
              kind="quiet"
              label={`Subscribe many servers to ${nameText(rule.name)}`}
              onClick={() => bind(rule)}
            >
              Subscribe many
            </Button>
          </span>
        ),
    },
  ];
}
