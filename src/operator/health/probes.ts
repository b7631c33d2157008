import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createTransport } from 'nodemailer';
import { ChainMisfit } from '../../chain/port.js';
import { bareHost } from '../../system/bare-host.js';
import { reasonOf, secretsIn } from '../../untrusted/reason.js';
import type { DependencyName } from '../shapes.js';
import type { Probe } from './dependency-watch.js';

/** A server whose answer to GET is up, unless it is 5xx. `url` may hold a path; of it only the host is shown. */
export function httpProbe(name: DependencyName, url: string): Probe {
  const { host } = new URL(url);
  return {
    name,
    async check(signal) {
      let status: number;
      try {
        const response = await fetch(url, { redirect: 'manual', signal });
        ({ status } = response);
        await response.body?.cancel();
      } catch (error) {
        throw new Error(`${host} does not answer: ${reasonOf(error, secretsIn(url))}`, { cause: error });
      }
      if (status >= 500) throw new Error(`${host} answers ${status}`);
    },
  };
}

/**
 * A server that accepts connections, with https those of TLS. It is asked nothing: its log stays that of its clients.
 */
export function connectionProbe(name: DependencyName, url: string): Probe {
  const parsed = new URL(url);
  const { host, port, protocol } = parsed;
  const secure = protocol === 'https:';
  const bare = bareHost(parsed);
  const address = { host: bare, port: Number(port || (secure ? 443 : 80)) };
  return {
    name,
    async check(signal) {
      const socket = secure
        ? connectTls({ ...address, ...(isIP(bare) === 0 && { servername: bare }) })
        : connect(address);
      // Without a listener an error after the check would end the process.
      socket.on('error', () => undefined);
      try {
        await once(socket, secure ? 'secureConnect' : 'connect', { signal });
      } catch (error) {
        throw new Error(`${host} does not answer: ${reasonOf(error, secretsIn(url))}`, { cause: error });
      } finally {
        socket.destroy();
      }
    },
  };
}

/** A mail server that takes a connection, greets, and takes the login of `url` if it has one. */
export function mailProbe(url: string, deadlineMs: number): Probe {
  const { host } = new URL(url);
  return {
    name: 'mail',
    async check() {
      const timeouts = {
        connectionTimeout: deadlineMs,
        greetingTimeout: deadlineMs,
        socketTimeout: deadlineMs,
        dnsTimeout: deadlineMs,
      };
      const transport = createTransport({ url, ...timeouts });
      try {
        await transport.verify();
      } catch (error) {
        throw new Error(`${host} takes no mail: ${reasonOf(error, secretsIn(url))}`, { cause: error });
      } finally {
        transport.close();
      }
    },
  };
}

/** The node of the ledger's chain. `host` is undefined for the chain in the process. */
export function chainProbe(
  chain: { readonly ping: () => Promise<void>; readonly contractWarning: () => string | undefined },
  host: string | undefined,
): Probe {
  return {
    name: 'chain',
    async check() {
      try {
        await chain.ping();
      } catch (error) {
        const where = host === undefined ? 'the chain in the process' : `the node at ${host}`;
        const what = error instanceof ChainMisfit ? 'does not fit' : 'does not answer';
        // Messages of the chain hold no secret of its address.
        throw new Error(`${where} ${what}: ${(error as Error).message}`, { cause: error });
      }
    },
    warning: () => chain.contractWarning(),
  };
}
