import type { NodesView, NodeView } from '../../operator/shapes.js';
import { operatorPart } from '../apis.js';
import { type ApiPart, json } from '../operation.js';
import { EXAMPLE_TIME } from '../policy/examples.js';
import { about, list, ref, shape, text, time, varies } from '../schema.js';

/** The nodes that share the store. */
export const nodes: ApiPart = operatorPart(
  'Operator: nodes',
  'A node is one process of the service. Any number of them share a database.',
  {
    'GET /operator/nodes': {
      id: 'listNodes',
      summary: 'List the nodes',
      description:
        'The live ones and those of the last day, the newest first. A node is live if its `seenAt` is at most 10 s ago.',
      answer: json(shape<NodesView>({ nodes: list(ref('Node')) })),
      examples: {
        one: {
          answer: {
            nodes: [
              {
                id: 'mi3k2q9x5f0c1a',
                version: '0.1.0',
                startedAt: EXAMPLE_TIME,
                seenAt: EXAMPLE_TIME,
                address: '127.0.0.1:8080',
              },
            ],
          },
        },
      },
    },
  },
  {
    Node: shape<NodeView>({
      id: about(
        'The id of one process: each start has a new one. The ids of its events begin with it.',
        varies(text),
      ),
      version: varies(text),
      startedAt: time,
      seenAt: about('When it wrote its last heartbeat. It writes one every 3 s.', time),
      address: about('Host and port at which it listens.', varies(text)),
    }),
  },
);
