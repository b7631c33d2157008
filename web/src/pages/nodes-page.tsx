import type { NodesView, NodeView } from '../../../src/operator/shapes.js';
import { useQuery } from '../query.js';
import { Answer } from '../ui/answer.js';
import { StateBadge } from '../ui/badge.js';
import { Page, Section } from '../ui/page.js';
import { type Column, Table } from '../ui/table.js';
import { Id } from '../ui/text.js';
import { Time } from '../ui/time.js';

const EVERY_MS = 3_000;
/** Time for which a node counts as live after it was seen, ms. */
const LIVE_MS = 10_000;

/** The nodes that share the store, and those that have ended within the last day. */
export function NodesPage() {
  const query = useQuery<NodesView>('/operator/nodes', { every: EVERY_MS });
  return (
    <Page title="Nodes">
      <p class="lead">
        The processes that serve this store, and those that ended within the last day. Each start is a new
        node.
      </p>
      <Answer query={query}>
        {({ nodes }) => {
          // The node that answers has just been seen: the clock of the browser does not count.
          const newest = Math.max(...nodes.map(({ seenAt }) => Date.parse(seenAt)));
          const isLive = ({ seenAt }: NodeView): boolean => newest - Date.parse(seenAt) <= LIVE_MS;
          return (
            <Section title="Nodes" note={`${nodes.filter(isLive).length} live`}>
              <Table label="Nodes" columns={columnsOf(isLive)} rows={nodes} rowKey={({ id }) => id} />
            </Section>
          );
        }}
      </Answer>
    </Page>
  );
}

function columnsOf(isLive: (node: NodeView) => boolean): readonly Column<NodeView>[] {
  return [
    {
      head: 'State',
      cell: (node) => (isLive(node) ? <StateBadge state="live" /> : <StateBadge state="ended" />),
      fit: true,
    },
    { head: 'Address', cell: ({ address }) => <Id text={address} plain /> },
    { head: 'Version', cell: ({ version }) => <Id text={version} plain />, fit: true },
    { head: 'Node', cell: ({ id }) => <Id text={id} />, fit: true },
    { head: 'Started', cell: ({ startedAt }) => <Time at={startedAt} />, fit: true },
    { head: 'Seen', cell: ({ seenAt }) => <Time at={seenAt} />, fit: true },
  ];
}
