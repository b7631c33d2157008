import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import type { NodesView } from '../shapes.js';
import type { NodeList } from './node-list.js';

/** The route of the list of nodes, guarded by the operators' route group. */
export function nodeRoutes(list: Pick<NodeList, 'nodes'>): readonly Route[] {
  return [
    route(READ, '/operator/nodes', async (ctx) => {
      onlyOf(ctx, []);
      ctx.body = { nodes: await list.nodes() } satisfies NodesView;
    }),
  ];
}
