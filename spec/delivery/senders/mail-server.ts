import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { listenReserved } from '../../servers/ports.js';

/** A mail as it went over the wire. */
export interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
  readonly raw: string;
  readonly mail: ParsedMail;
}

/** A mail server that accepts every mail unless `options` says otherwise. */
export interface MailServer {
  readonly port: number;
  readonly url: string;
  readonly arrived: Arrived[];
  /** Connections so far. */
  readonly connections: () => number;
  readonly server: SMTPServer;
  readonly stop: () => Promise<void>;
}

/** An SMTP reply other than success. */
export const reply = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

/** Starts a mail server on a free port. It offers STARTTLS only if `disabledCommands` is given without it. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const arrived: Arrived[] = [];
  let connections = 0;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 50,
    logger: false,
    async onData(stream, session, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      const raw = Buffer.concat(chunks);
      const { mailFrom, rcptTo } = session.envelope;
      arrived.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        secure: session.secure,
        raw: raw.toString('latin1'),
        mail: await simpleParser(raw),
      });
      done();
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.server.on('connection', () => (connections += 1));
  const port = await listenReserved(server.server);
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    arrived,
    connections: () => connections,
    server,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
