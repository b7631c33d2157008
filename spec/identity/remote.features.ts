import { inspect } from 'node:util';
import { expect } from 'chai';
import { type Identity, IdentityUnavailable } from '../../src/identity/port.js';
import { rejectionOf } from '../rejection.js';
import { type Handler, type StandIn, answerJson, standIn } from './stand-in.js';

/** Differences between the remote identity services. */
interface RemoteCase {
  readonly open: (url: string, timeoutMs: number) => Identity;
  /** Well-formed, so that the adapter asks the service. */
  readonly token: string;
  /** Answers the requests before the failing one. undefined: the first one fails. */
  readonly before?: (...exchange: Parameters<Handler>) => boolean;
  /** Status of a success of the failing request. Default: 200. */
  readonly success?: number;
  /** Must not be in any error. */
  readonly secrets: readonly string[];
}

const MEGABYTE = 1_048_576;

/** Behaviour of every remote identity service that cannot verify a token. */
export function remoteFailures(
  title: string,
  { open, token, before, success = 200, secrets }: RemoteCase,
): void {
  describe(title, () => {
    let server: StandIn | undefined;
    afterEach(() => server?.close());

    async function failureOf(handler: Handler, timeoutMs = 10_000): Promise<IdentityUnavailable> {
      server = await standIn((request, response) => {
        if (before?.(request, response) !== true) handler(request, response);
      });
      const identity = open(server.url, timeoutMs);
      const error = await rejectionOf(identity.verify(token));
      await identity.close();
      expect(error).to.be.instanceOf(IdentityUnavailable);
      for (const secret of secrets) expect(inspect(error, { depth: 9 })).not.to.contain(secret);
      return error as IdentityUnavailable;
    }

    it('is unavailable if nothing listens', async () => {
      const gone = await standIn(() => {});
      await gone.close();
      const error = await rejectionOf(open(gone.url, 10_000).verify(token));
      expect(error).to.be.instanceOf(IdentityUnavailable);
      expect(error.message).to.match(/cannot be reached.*IDENTITY_URL/);
    });

    it('is unavailable if no answer comes in time', async () => {
      let hangUp = () => {};
      const hungUp = new Promise<void>((resolve) => {
        hangUp = resolve;
      });
      const error = await failureOf((_, response) => response.on('close', hangUp), 2_000);
      expect(error.message).to.match(/did not answer in 2 s/);
      await hungUp;
    });

    it('is unavailable if the answer stops half-way', async () => {
      const error = await failureOf((_, response) => {
        response.writeHead(success, { 'content-type': 'application/json' });
        response.write('{');
      }, 2_000);
      expect(error.message).to.match(/did not answer in 2 s/);
    });

    it('is unavailable if the connection breaks', async () => {
      await failureOf((_, response) => response.destroy());
    });

    for (const status of [400, 429, 500, 503]) {
      it(`is unavailable on ${status}`, async () => {
        const error = await failureOf((_, response) => answerJson(response, status, { error: 'as it is' }));
        expect(error.message).to.contain(`answered ${status}`);
      });
    }

    for (const text of ['', '<html>hello</html>', '[]', '{}', 'null', '{"access":1,"token":1,"keys":1}']) {
      it(`is unavailable on the answer ${JSON.stringify(text)}`, async () => {
        const error = await failureOf((_, response) =>
          response.writeHead(success, { 'x-subject-token': 'own-t0ken' }).end(text),
        );
        expect(error.message).not.to.match(/did not answer/);
      });
    }

    it('stops reading an endless answer', async () => {
      let sent = 0;
      const error = await failureOf((_, response) => {
        response.writeHead(success, { 'content-type': 'application/json' });
        const more = () => {
          sent += 65_536;
          if (response.writable) response.write(' '.repeat(65_536), more);
        };
        more();
      });
      expect(error.message).to.match(/more than 1048576 bytes/);
      expect(sent).to.be.lessThan(64 * MEGABYTE);
    });

    it('does not follow a redirect', async () => {
      const elsewhere = await standIn((_, response) => answerJson(response, 200, {}));
      await failureOf((_, response) =>
        answerJson(response, 307, {}, { location: `${elsewhere.url}/tokens` }),
      );
      await elsewhere.close();
      expect(elsewhere.requests).to.have.length(0);
    });
  });
}

/** Behaviour for texts that no identity service can have issued: invalid, without a request. */
export function impossibleTokens(open: (url: string) => Identity): void {
  const cases = {
    'an empty one': '',
    'one with a line break': 'abc\r\nx-evil: 1',
    'one with a blank': 'abc def',
    'one that is not ASCII': 'tökén',
    'a path segment .': '.',
    'a path segment ..': '..',
    'one over 16 KiB': 'a'.repeat(16_385),
  };
  for (const [name, token] of Object.entries(cases)) {
    it(`refuses ${name} without a request`, async () => {
      const server = await standIn((_, response) => answerJson(response, 500, {}));
      const identity = open(server.url);
      expect(await identity.verify(token)).to.equal(undefined);
      await identity.close();
      await server.close();
      expect(server.requests).to.have.length(0);
    });
  }
}
