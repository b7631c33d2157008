import { useEffect, useState } from 'preact/hooks';
import type { ServerView } from '../../../../src/console/shapes.js';
import type { ActorDetail } from '../../../../src/operator/shapes.js';
import { serverViewPath } from '../../api-paths.js';
import { useQuery } from '../../query.js';
import { StateBadge } from '../../ui/badge.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { Prose } from '../../ui/text.js';
import { Time } from '../../ui/time.js';
import { History, useHistory } from '../server/history.js';

/** What is kept of the past of an actor, and what has changed since the page was opened. */
export function ActorHistory({ actor }: { readonly actor: ActorDetail }) {
  return (
    <>
      {actor.kind === 'server' && <ServerHistory tenant={actor.tenant} server={actor.name} />}
      {actor.kind === 'delivery' && <Attempts context={actor.context} />}
      <Seen actor={actor} />
    </>
  );
}

/** The transitions of a server's subscriptions, which a document beside the server keeps. */
function ServerHistory({ tenant, server }: { readonly tenant: string; readonly server: string }) {
  const { data } = useQuery<ServerView>(serverViewPath(tenant, server));
  const history = useHistory(tenant, server);
  return data === undefined ? null : <History query={history} server={data} />;
}

interface Attempt {
  readonly at: number;
  readonly result: string;
  readonly detail: string;
}

const ATTEMPTS: readonly Column<Attempt>[] = [
  { head: 'When', fit: true, cell: ({ at }) => <Time at={at} /> },
  { head: 'Result', fit: true, cell: ({ result }) => result },
  { head: 'Answer', cell: ({ detail }) => <Prose text={detail} /> },
];

/** The attempts of a delivery, newest first. */
function Attempts({ context }: Pick<ActorDetail, 'context'>) {
  const attempts = (context['attempts'] ?? []) as readonly Attempt[];
  return (
    <Section title="Attempts" note="newest first">
      <Table
        label="Attempts"
        columns={ATTEMPTS}
        rows={attempts.toReversed()}
        rowKey={({ at }) => at}
        empty={<p class="quiet-text">It was not tried yet.</p>}
      />
    </Section>
  );
}

/** A revision that the page has seen. */
interface SeenRevision {
  readonly revision: number;
  readonly state: string;
  readonly at: number;
}

/** Revisions that are listed. */
const MOST = 20;

const SEEN: readonly Column<SeenRevision>[] = [
  { head: 'Seen', fit: true, cell: ({ at }) => <Time at={at} /> },
  { head: 'Revision', fit: true, number: true, cell: ({ revision }) => <Num value={revision} /> },
  { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
];

/** The revisions since the page was opened. The store keeps the last one alone. */
function Seen({ actor: { revision, state } }: { readonly actor: ActorDetail }) {
  const [seen, setSeen] = useState<readonly SeenRevision[]>([]);
  useEffect(() => {
    setSeen((before) =>
      before[0]?.revision === revision
        ? before
        : [{ revision, state, at: Date.now() }, ...before].slice(0, MOST),
    );
  }, [revision, state]);
  return (
    <Section title="Revisions" note="since this page was opened">
      <p class="quiet-text">
        The store keeps the last revision of an actor. Those before it are overwritten.
      </p>
      <Table label="Revisions, newest first" columns={SEEN} rows={seen} rowKey={({ revision: one }) => one} />
    </Section>
  );
}
