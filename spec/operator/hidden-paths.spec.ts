import { expect } from 'chai';
import { request } from '../e2e/api-client.js';
import { expectRefusal } from '../e2e/refusal.js';
import { scenes } from '../e2e/scene.js';
import { wires } from '../http/wire/wire-client.js';

const OPERATOR_TOKEN = 'let-the-operators-in';
/** Requests without a route: unknown paths, and known paths with other methods. */
const UNROUTED = [
  ['GET', '/operator'],
  ['GET', '/operator/'],
  ['GET', '/operator/nothing'],
  ['GET', '/operator/nothing.json'],
  ['DELETE', '/operator/inbox'],
  ['POST', '/operator/actors/'],
  ['GET', '/operator/deliveries/a/b/redelivery'],
  ['OPTIONS', '/operator/nothing'],
] as const;
/** Request lines with methods unknown to node, and an operator's answer. */
const UNKNOWN_METHODS = [
  ['BREW /operator/actors', 405],
  ['BREW /operator/nothing', 404],
  ['CONNECT /operator/actors', 405],
] as const;

describe('paths below /operator', () => {
  const open = scenes();
  const dial = wires();
  const started = async (settings: Record<string, string>): Promise<{ url: string; port: number }> => {
    const { url } = await open.service(settings);
    return { url, port: Number(new URL(url).port) };
  };
  const wireStatus = async (port: number, head: string): Promise<number> => {
    const wire = await dial(port);
    wire.write(`${head}\r\n\r\n`);
    return (await wire.response()).status;
  };

  it('are hidden from other machines without OPERATOR_TOKEN', async () => {
    const { url, port } = await started({});
    for (const [method, path] of UNROUTED) {
      expectRefusal(await request(url + path, method, undefined, { via: 'a proxy' }), 403, 'OPERATOR_TOKEN');
      expect((await request(url + path, method)).status, `${method} ${path}`).to.be.oneOf([404, 405]);
    }
    for (const [line, known] of UNKNOWN_METHODS) {
      expect(await wireStatus(port, `${line} HTTP/1.1\r\nHost: localhost\r\nVia: a proxy`), line).to.equal(
        403,
      );
      expect(await wireStatus(port, `${line} HTTP/1.1\r\nHost: localhost`), line).to.equal(known);
    }
  });

  it('are visible only with OPERATOR_TOKEN', async () => {
    const { url, port } = await started({ OPERATOR_TOKEN });
    const authorization = `Bearer ${OPERATOR_TOKEN}`;
    for (const [method, path] of UNROUTED) {
      expectRefusal(await request(url + path, method), 401, 'operators');
      expectRefusal(
        await request(url + path, method, undefined, { authorization: 'Bearer wrong' }),
        401,
        'operators',
      );
      const answer = await request(url + path, method, undefined, { authorization });
      expect(answer.status, `${method} ${path}`).to.be.oneOf([404, 405]);
    }
    for (const [line, known] of UNKNOWN_METHODS) {
      const head = `${line} HTTP/1.1\r\nHost: a`;
      expect(await wireStatus(port, head), line).to.equal(401);
      expect(await wireStatus(port, `${head}\r\nAuthorization: Bearer wrong`), line).to.equal(401);
      expect(await wireStatus(port, `${head}\r\nAuthorization: ${authorization}`), line).to.equal(known);
    }
  });

  it('answers OPTIONS with the methods of a path', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN });
    const answer = await request(`${url}/operator/inbox`, 'OPTIONS');
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
  });
});
