import { useState } from 'preact/hooks';
import type { ServerRuleView, ServerView } from '../../../../src/console/shapes.js';
import type { HistoryView, TransitionView } from '../../../../src/policy/explain/shapes.js';
import { serverViewPath } from '../../api-paths.js';
import { type Query, useQuery } from '../../query.js';
import { withQuery } from '../../router.js';
import { Answer, Empty } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { Id, Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { SOURCE_NAMES } from '../sources/source-names.js';

/** Transitions that are shown before the viewer asks for all. */
const SHOWN = 20;

/** Transitions that are read: all that are kept at least. */
const READ = 200;

/** Reads the transitions of a server. */
export function useHistory(tenant: string, server: string): Query<HistoryView> {
  const path = withQuery(serverViewPath(tenant, server, 'history'), { limit: String(READ) });
  return useQuery<HistoryView, 'transition'>(path, {
    on: ['transition'],
    concerns: (event) => event.serverId === server,
  });
}

/** The transitions of a server, newest first. */
export function History(props: { readonly query: Query<HistoryView>; readonly server: ServerView }) {
  const { query, server } = props;
  const { rules } = server;
  const [all, showAll] = useState(false);
  return (
    <Section title="History" note="changes of subscriptions, newest first">
      <Answer query={query}>
        {({ history }) => (
          <>
            <Table
              label="History"
              rows={history.slice(0, all ? undefined : SHOWN)}
              empty={
                <Empty
                  title="Nothing has changed yet"
                  text="A line appears here when the state of a subscription changes."
                />
              }
              rowKey={keyOf}
              columns={[
                { head: 'When', fit: true, cell: ({ at }) => <Time at={at} /> },
                {
                  head: 'Rule',
                  cell: ({ ruleId }) => <RuleName rule={rules.find((one) => one.ruleId === ruleId)} />,
                },
                { head: 'Change', fit: true, cell: ({ from, to }) => <Change from={from} to={to} /> },
                { head: 'Why', cell: ({ sentence }) => <Prose text={sentence} /> },
                {
                  head: 'Fact',
                  number: true,
                  fit: true,
                  cell: ({ factId, source }) => (
                    <>
                      {factId === null ? '–' : <Num value={factId} />}
                      {source !== undefined && ` from ${SOURCE_NAMES[source]}`}
                    </>
                  ),
                },
              ]}
            />
            {!all && history.length > SHOWN && (
              <div class="button-row">
                <Button onClick={() => showAll(true)}>Show {history.length} changes</Button>
              </div>
            )}
          </>
        )}
      </Answer>
    </Section>
  );
}

function keyOf({ at, subscriptionId, from, to, factId }: TransitionView): string {
  return [at, subscriptionId, from, to, factId].join(' ');
}

function RuleName({ rule }: { readonly rule: ServerRuleView | undefined }) {
  return rule === undefined ? <span class="quiet-text">deleted rule</span> : <Id text={rule.name} plain />;
}

function Change({ from, to }: Pick<TransitionView, 'from' | 'to'>) {
  return (
    <span class="change">
      <StateBadge state={from} /> <span aria-hidden="true">→</span>
      <span class="hidden">to</span> <StateBadge state={to} />
    </span>
  );
}
