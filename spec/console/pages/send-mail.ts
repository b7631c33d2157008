import { once } from 'node:events';
import { connect } from 'node:net';
import { createTransport } from 'nodemailer';

interface Handle {
  readonly type: string;
  readonly is_active: boolean;
  readonly localEndpoint?: { readonly port: number } | null;
  readonly remoteEndpoint?: object | null;
}

/** Sends a mail to the development inbox of the service in this process. */
export async function sendMail(mail: {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: await inboxPort(), ignoreTLS: true });
  try {
    await transport.sendMail({ from: 'stranger@example.org', to: 'ops@example.org', ...mail });
  } finally {
    transport.close();
  }
}

/** Returns the port of this process that greets as a mail server. */
async function inboxPort(): Promise<number> {
  const { libuv } = process.report.getReport() as unknown as { readonly libuv: readonly Handle[] };
  const ports = libuv
    .filter(({ type, localEndpoint, remoteEndpoint }) => type === 'tcp' && localEndpoint && !remoteEndpoint)
    .map(({ localEndpoint }) => localEndpoint!.port);
  for (const port of ports) if (await greets(port)) return port;
  throw new Error('no mail server is in this process');
}

async function greets(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(500, () => socket.destroy());
  try {
    // A web server says nothing before it is asked.
    const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
    return Buffer.isBuffer(first) && first.toString().startsWith('220');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
