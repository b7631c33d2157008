import { type ApiPart, header, query } from '../operation.js';
import { text } from '../schema.js';
import { ofNamedTenant, operatorPart } from '../apis.js';

/** The stream of live events. */
export const events: ApiPart = operatorPart(
  'Operator: events',
  'What happens on the node that answers, as Server-Sent Events.',
  {
    'GET /operator/events': {
      id: 'readEvents',
      summary: 'Read events as they happen',
      description:
        'The answer ends after an hour at most, with the session that opened it, or with the tenant’s token. Types: `hello`, ' +
        '`transition`, `firing`, `delivery`, `receiver`, `receipt`, `fault`, and `facts` with `tenant` and `server`. `data` is one JSON ' +
        'object. `hello` has `resumed`: false if the client has missed events.',
      parameters: [
        ofNamedTenant,
        query('server', text, 'The id of a server.'),
        query('lastEventId', text, 'As `Last-Event-ID`, which comes first.'),
        header('Last-Event-ID', text, 'The id of the last event that the client has.'),
      ],
      answer: { 'text/event-stream': text },
    },
  },
);
