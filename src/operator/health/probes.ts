import { once } from 'node:events';
import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import type { PartName, Probe } from './part-watch.js';

/** A server whose answer to GET is up, unless it is 5xx. `url` may hold a path; of it only the host is shown. */
export function httpProbe(name: PartName, url: string): Probe {
  const { host } = new URL(url);
  return {
    name,
    async look(signal) {
      let status: number;
      try {
        const response = await fetch(url, { redirect: 'manual', signal });
        ({ status } = response);
        await response.body?.cancel();
      } catch (error) {
        throw new Error(`${host} does not answer${codeOf(error)}`, { cause: error });
      }
      if (status >= 500) throw new Error(`${host} answers ${status}`);
    },
  };
}

/** A server that accepts connections. It is asked nothing: its log stays that of its clients. */
export function connectionProbe(name: PartName, url: string): Probe {
  const { host, hostname, port, protocol } = new URL(url);
  const address = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  return {
    name,
    async look(signal) {
      // Without a listener an error after the look would end the process.
      const socket = connect(address).on('error', () => undefined);
      try {
        await once(socket, 'connect', { signal });
      } catch (error) {
        throw new Error(`${host} does not answer${codeOf(error)}`, { cause: error });
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
    async look() {
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
        // The message of the server may quote the user's name.
        throw new Error(`${host} takes no mail${codeOf(error)}`, { cause: error });
      } finally {
        transport.close();
      }
    },
  };
}

/** The node of the ledger's chain. `host` is undefined for the chain in the process. */
export function chainProbe(ping: () => Promise<void>, host: string | undefined): Probe {
  return {
    name: 'chain',
    async look() {
      try {
        await ping();
      } catch (error) {
        const where = host === undefined ? 'the chain in the process' : `the node at ${host}`;
        const isMisfit = (error as { readonly code?: unknown }).code === 'chain-misfit';
        const why = isMisfit ? `: ${(error as Error).message}` : codeOf(error);
        throw new Error(`${where} ${isMisfit ? 'does not fit' : 'does not answer'}${why}`, { cause: error });
      }
    },
  };
}

/** Returns the code of an error or of one of its causes, as ` (ECONNREFUSED)`. Messages may hold addresses and secrets. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { readonly code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)) return ` (${code})`;
  }
  return '';
}
