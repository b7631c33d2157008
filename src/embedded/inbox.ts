import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { AddressObject, HeaderLines, ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { isoOf } from '../system/iso.js';

const MAX_BYTES = 1024 * 1024;
/** Time for the sessions to end when the server stops, ms. Those that deliver have ended before. */
const CLOSE_MS = 1;

/** A received mail. */
export interface InboxMessage {
  readonly id: string;
  /** From its header, else from the envelope. */
  readonly from: string;
  /** From its header, else from the envelope. Several addresses are separated by commas. */
  readonly to: string;
  readonly subject: string;
  /** Empty if the mail has no such part. */
  readonly text: string;
  /** Empty if the mail has no such part. Pictures in the mail are in it as `data:` URLs. Untrusted: show it in a sandbox. */
  readonly html: string;
  /** Name in lower case → unfolded value. A repeated header has one value per line. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
}

/** Mail server for development. Accepts every mail and keeps it in memory. */
export type Inbox = Awaited<ReturnType<typeof startInbox>>;

/**
 * Starts the server on a free port of the loopback interface, without authentication. Keeps the newest `max` mails and
 * answers 552 to a mail over 1 MiB. `now` is in ms since the epoch.
 */
export async function startInbox(options: { readonly max: number; readonly now?: () => number }) {
  const now = options.now ?? Date.now;
  let mails: readonly InboxMessage[] = [];

  const server = new PlainServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MAX_BYTES,
    rejectOversized: true,
    closeTimeout: CLOSE_MS,
    async onData(stream, session, done) {
      // Its hundred files are a tenth of the start.
      const { simpleParser } = await import('mailparser');
      simpleParser(stream, { skipTextToHtml: true }, (error: unknown, mail) => {
        if (error) return done(Object.assign(new Error('the message cannot be read'), { responseCode: 554 }));
        // The server answers 552 to an oversized mail in any case.
        if (!stream.sizeExceeded) mails = [messageOf(mail, session, now()), ...mails].slice(0, options.max);
        return done();
      });
    },
  });
  // Errors of single connections. Without a listener each would end the process.
  server.on('error', () => undefined);
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  return {
    /** `smtp://127.0.0.1:port` */
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    /** Returns the mails, newest first. */
    messages: () => mails,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** A server that makes no certificate, because it has no TLS. */
class PlainServer extends SMTPServer {
  override updateSecureContext(): void {
    this.secureContext = new Map();
  }
}

function messageOf(mail: ParsedMail, session: SMTPServerSession, receivedAt: number): InboxMessage {
  const { mailFrom, rcptTo } = session.envelope;
  const sender = mailFrom === false ? '' : mailFrom.address;
  return {
    id: randomUUID(),
    from: shown(mail.from) ?? sender,
    to: shown(mail.to) ?? rcptTo.map(({ address }) => address).join(', '),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html || '',
    headers: headersOf(mail.headerLines),
    receivedAt: isoOf(receivedAt),
  };
}

function shown(addresses: AddressObject | AddressObject[] = []): string | undefined {
  const texts = [addresses].flat().map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join(', ');
}

function headersOf(lines: HeaderLines): Record<string, string> {
  const values = new Map<string, string>();
  for (const { key, line } of lines) {
    const value = line
      .slice(line.indexOf(':') + 1)
      .replace(/\r?\n(?=[ \t])/g, '')
      .trim();
    const before = values.get(key);
    values.set(key, before === undefined ? value : `${before}\n${value}`);
  }
  return Object.fromEntries(values);
}
