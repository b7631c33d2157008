import { inspect } from 'node:util';
import { expect } from 'chai';
import { type Broker, BrokerRefused, BrokerUnavailable } from '../../src/broker/port.js';
import { openBroker } from '../../src/broker/select.js';
import { type BrokerCase, WANTED } from './broker.features.js';
import { type Receiver, receiver } from './receiver.js';
import { rejectionOf } from '../rejection.js';
import type { BrokerStandIn, Failure } from './stand-ins/stand-in.js';

const SECRET = WANTED.headers['X-Facts-Key']!;

const ID = '0123456789abcdef01234567';

const OPERATIONS: Readonly<Record<string, (broker: Broker) => Promise<unknown>>> = {
  subscribe: (broker) => broker.subscribe(WANTED),
  renew: (broker) => broker.renew(ID, WANTED),
  unsubscribe: (broker) => broker.unsubscribe(ID, WANTED.tenant),
  retract: (broker) => broker.retract(ID, WANTED),
};

/** Behaviour of a broker of any API that fails or refuses, for each operation. */
export function brokerFailures({ api, start, sendsHeaders, marks }: BrokerCase): void {
  describe('a broker that fails', () => {
    let there: BrokerStandIn;
    let elsewhere: Receiver;
    beforeEach(async () => {
      there = await start(Date.now);
      elsewhere = await receiver();
    });
    afterEach(async () => {
      await there.close();
      await elsewhere.close();
    });

    for (const [operation, ask] of Object.entries(OPERATIONS)) {
      if (operation === 'retract' && !marks) continue;
      describe(`to ${operation}`, () => {
        /** Part of the request that the broker quotes. */
        const repeated = sendsHeaders && operation !== 'unsubscribe' ? SECRET : 'aKey';

        const failureOf = async (failure: Failure, timeoutMs = 10_000): Promise<Error> => {
          there.failWith(failure);
          const broker = openBroker({ url: there.url, api, timeoutMs });
          const error = await rejectionOf(ask(broker));
          await broker.close();
          expect(inspect(error, { depth: 9 })).not.to.contain(SECRET);
          return error;
        };

        const unavailable = async (failure: Failure, timeoutMs?: number): Promise<string> => {
          const error = await failureOf(failure, timeoutMs);
          expect(error).to.be.instanceOf(BrokerUnavailable);
          return error.message;
        };

        it('is unavailable if nothing listens', async () => {
          const gone = await start(Date.now);
          await gone.close();
          const error = await rejectionOf(ask(openBroker({ url: gone.url, api })));
          expect(error).to.be.instanceOf(BrokerUnavailable);
          expect(error.message).to.match(/cannot be reached.*BROKER_URL/);
        });

        it('is unavailable if it does not answer in time', async () => {
          expect(await unavailable({ how: 'silent' }, 150)).to.match(/did not answer in 0\.15 s/);
        });

        it('is unavailable if its answer stops half-way', async () => {
          expect(await unavailable({ how: 'half' }, 150)).to.match(/did not answer in 0\.15 s/);
        });

        it('is unavailable if the connection breaks', async () => {
          expect(await unavailable({ how: 'broken' })).to.match(/cannot be reached/);
        });

        it('is unavailable if its answer is endless', async () => {
          expect(await unavailable({ how: 'endless' })).to.match(/more than 1048576 bytes/);
        });

        for (const status of [408, 429, 500, 502, 503]) {
          it(`is unavailable on ${status}`, async () => {
            const body = JSON.stringify({ error: 'Busy', description: `key ${repeated}` });
            const message = await unavailable({ how: 'answer', status, body });
            expect(message).to.contain(`answered ${status}`).and.to.contain('Busy');
          });
        }

        it('does not follow a redirect', async () => {
          for (const status of [301, 307]) {
            const headers = { location: `${elsewhere.url}/v2/subscriptions/${ID}` };
            const message = await unavailable({ how: 'answer', status, headers });
            expect(message).to.contain(`a redirect (${status})`).and.to.contain('BROKER_URL');
          }
          expect(elsewhere.requests).to.have.length(0);
        });

        for (const status of [400, 401, 403, 413, 422]) {
          it(`refuses with ${status}`, async () => {
            const error = await failureOf({ how: 'answer', status, body: 'not like this' });
            expect(error).to.be.instanceOf(BrokerRefused);
            expect(error.message).to.contain(`answered ${status}`).and.to.contain('not like this');
          });
        }

        it('reports a refusal in bounded length, on one line and without secrets', async () => {
          const description = `bad\r\n\u0007key ${repeated}\u2028${'x'.repeat(2_000)}`;
          const said = { error: 'BadRequest', description };
          for (const body of [JSON.stringify(said), description]) {
            const { message } = await failureOf({ how: 'answer', status: 400, body });
            expect(message).to.match(/bad key .*x{400,}…$/);
            expect(message).not.to.match(/[\p{Cc}\p{Zl}]/u);
            expect(message.length).to.be.within(500, 640);
            expect(message).to.contain(repeated === SECRET ? 'key … ' : 'key aKey ');
          }
        });

        it('aborts requests in flight on close, and refuses later ones', async () => {
          there.failWith({ how: 'silent' });
          const broker = openBroker({ url: there.url, api });
          const failing = rejectionOf(ask(broker));
          await there.received(1);
          await broker.close();
          const error = await failing;
          expect(error).to.be.instanceOf(BrokerUnavailable);
          expect(error.message).to.match(/was closed/);
          expect((await rejectionOf(ask(broker))).message).to.match(/is closed/);
          expect(there.requests).to.have.length(1);
        });
      });
    }
  });
}
