import type { SMTPServerOptions } from 'smtp-server';
import { emailSender, type EmailOptions } from '../../../src/delivery/senders/email.js';
import type { Answer, EmailMessage } from '../../../src/delivery/port.js';
import { startMailServer, type MailServer } from './mail-server.js';

/** The default mail of a spec. */
export const MESSAGE: EmailMessage = {
  channel: 'email',
  to: 'operator@example.org',
  state: 'firing',
  subject: 'Rule “busy” fired on server web-1',
  headline: '“busy” fires on web-1.',
  reason: 'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 92.8, greater than 85.',
  body: 'The server is busy.\nLook at it — soon.',
  facts: [
    ['cpu', '97.5 %'],
    ['Server', 'web-1'],
    ['Where to look', 'https://mirzam.example/console?server=web-1&rule=2'],
  ],
};

/** All headers of the service's mails. */
export const HEADERS = 'from to subject message-id date mime-version content-type auto-submitted'.split(' ');

/** An e-mail sender of a spec. */
export interface Mailing {
  readonly mail: (changes?: Partial<EmailMessage>, id?: string) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** Mail servers and senders of one spec, closed together. */
export interface EmailScene {
  readonly mailServer: (options?: SMTPServerOptions) => Promise<MailServer>;
  readonly sender: (options: Partial<EmailOptions> & Pick<EmailOptions, 'smtpUrl'>) => Mailing;
  /** Adds a part that is closed with the scene. */
  readonly alsoEnd: (end: () => Promise<void>) => void;
  readonly end: () => Promise<void>;
}

/** Returns an empty scene. */
export function emailScene(): EmailScene {
  const ends: (() => Promise<void>)[] = [];
  return {
    mailServer: async (options) => {
      const server = await startMailServer(options);
      ends.push(server.stop);
      return server;
    },
    sender: (options) => {
      const from = 'Mirzam <mirzam@example.org>';
      const made = emailSender({ from, messageIdDomain: 'mirzam.example', timeoutMs: 10_000, ...options });
      const close = (): Promise<void> => made.close();
      ends.push(close);
      return {
        mail: (changes = {}, id = 'msg_1') => made.send(id, { ...MESSAGE, ...changes }, 'acme'),
        close,
      };
    },
    alsoEnd: (end) => void ends.push(end),
    end: async () => {
      for (const end of ends.toReversed()) await end();
    },
  };
}
