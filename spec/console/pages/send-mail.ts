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

/** Returns the port of this process that greets as a mail server. A web server says nothing before it is asked. */
async function inboxPort(): Promise<number> {
  const { libuv } = process.report.getReport() as unknown as { readonly libuv: readonly Handle[] };
  const sockets = libuv
    .filter(({ type, localEndpoint, remoteEndpoint }) => type === 'tcp' && localEndpoint && !remoteEndpoint)
    .map(({ localEndpoint }) => connect(localEndpoint!.port, '127.0.0.1'));
  try {
    return await Promise.any(
      sockets.map(async (socket) => {
        const [first] = (await once(socket, 'data')) as [Buffer];
        if (!first.toString().startsWith('220')) throw new Error('this is no mail server');
        return socket.remotePort!;
      }),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}
