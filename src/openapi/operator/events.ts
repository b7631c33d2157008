import { type ApiPart, header, type Operation, type Parameter, query } from '../operation.js';
import { text } from '../schema.js';
import { ofNamedTenant, operatorPart } from './part.js';

/** The parameters of a stream of events. */
const eventParameters: readonly Parameter[] = [
  ofNamedTenant,
  query('server', text, 'The id of a server.'),
  query('lastEventId', text, 'As `Last-Event-ID`, which comes first.'),
  header('Last-Event-ID', text, 'The id of the last event that the client has.'),
];

const stream: Omit<Operation, 'id'> = {
  summary: 'Read events as they happen',
  description:
    'The answer ends after an hour at most, with the session that opened it, or with the tenant’s token. Types: `hello`, ' +
    '`transition`, `firing`, `delivery`, `receipt`, `fault`, and `facts` with `tenant` and `server`. `data` is one JSON ' +
    'object. `hello` has `resumed`: false if the client has missed events.',
  parameters: eventParameters,
  answer: { 'text/event-stream': text },
};

/** The streams of live events. */
export const events: ApiPart = operatorPart(
  'Operator: events',
  'What happens on the node that answers, as Server-Sent Events.',
  {
    'GET /operator/events': { ...stream, id: 'readEvents' },
    'GET /console/api/events': {
      ...stream,
      id: 'readOwnEvents',
      summary: 'Read the events that the viewer of the console may see',
      access: ['operator', 'tenant', 'session'],
    },
  },
);
