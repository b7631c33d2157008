import { createTransport, type Attachment, type NodemailerError } from 'nodemailer';
import { emailText, muteLink, shownSeries } from './email-text.js';
import { pngOf } from './png.js';
import { seriesPicture } from './series-picture.js';
import { reasonOf, secretsIn } from '../../untrusted/reason.js';
import { ONE_ADDRESS } from '../../untrusted/text.js';
import type { Answer, EmailMessage, Sender } from '../port.js';

/** Bad sequence of commands (RFC 5321), authentication required (RFC 4954): 5xx replies that are not about the message. */
const SESSION_REPLIES = new Set([503, 530]);

export interface EmailOptions {
  /** `smtp://` or `smtps://`, with user and password if the server requires them. */
  readonly smtpUrl: string;
  /** Sender: an address, or `Name <address>`. */
  readonly from: string;
  /** Time for a message, from the wait for a connection to the server's reply, ms. Default 20000. */
  readonly timeoutMs?: number;
  /** The right part of every Message-ID. */
  readonly messageIdDomain: string;
}

/**
 * Sends e-mail over a pool of SMTP connections, with STARTTLS if the server offers it. The answer is `delivered` if the
 * server accepts the message; `retry` for a 4xx reply, a fault of the connection or the login, and no reply in time;
 * `refused` for a 5xx reply about the message, and for a recipient that is not one address. `close` waits for messages in
 * progress: the reader of a mail cannot detect a repeat.
 */
export function emailSender(options: EmailOptions): Sender<EmailMessage> {
  const timeoutMs = options.timeoutMs ?? 20_000;
  const transport = createTransport({
    url: options.smtpUrl,
    pool: true,
    // One repeat, for a pooled connection that the server closed. The caller times further attempts.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const secrets = secretsIn(options.smtpUrl);
  const inFlight = new Set<Promise<Answer>>();
  const messageIdOf = (id: string): string => `<${idText(id)}@${options.messageIdDomain}>`;

  const attempt = async (id: string, message: EmailMessage): Promise<Answer> => {
    if (!ONE_ADDRESS.test(message.to)) {
      return { result: 'refused', detail: 'to must be one e-mail address, such as operator@example.org' };
    }
    const started = performance.now();
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const pictures = await picturesOf(id, message);
      const mute = muteLink(message);
      const sent = await transport.sendMail({
        ...emailText(
          message,
          pictures.map(({ cid }) => cid),
        ),
        attachments: pictures,
        from: options.from,
        to: { name: '', address: message.to },
        messageId: messageIdOf(id),
        // Programs put the mails of a period into one thread (RFC 5322).
        ...(message.first !== undefined && {
          inReplyTo: messageIdOf(message.first),
          references: messageIdOf(message.first),
        }),
        headers: {
          // Suppresses out-of-office replies (RFC 3834).
          'Auto-Submitted': 'auto-generated',
          // The program's button beside the sender (RFC 2369), in one click (RFC 8058).
          ...(mute !== undefined && {
            'List-Unsubscribe': `<${mute}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
        signal,
      });
      return {
        result: 'delivered',
        detail: reasonOf(`${sent.response} in ${Math.round(performance.now() - started)} ms`, secrets),
      };
    } catch (error) {
      if (signal.aborted)
        return { result: 'retry', detail: `the mail server took over nothing within ${timeoutMs} ms` };
      const fault = error as NodemailerError;
      return { result: isFinal(fault) ? 'refused' : 'retry', detail: reasonOf(fault, secrets) };
    }
  };

  return {
    async send(id, message) {
      const answer = attempt(id, message);
      inFlight.add(answer);
      try {
        return await answer;
      } finally {
        inFlight.delete(answer);
      }
    },
    async close() {
      transport.close();
      await Promise.all(inFlight);
    },
  };
}

/** Returns the pictures of a message: parts of the mail that its HTML names by their Content-IDs (RFC 2392). */
async function picturesOf(id: string, message: EmailMessage): Promise<(Attachment & { cid: string })[]> {
  return Promise.all(
    shownSeries(message).map(async (series, index) => ({
      cid: `${idText(id)}.${index + 1}@series`,
      filename: `series-${index + 1}.png`,
      contentType: 'image/png',
      contentDisposition: 'inline',
      content: await pngOf(seriesPicture(series)),
    })),
  );
}

/** Returns the id of a delivery as it is written in a Message-ID and a Content-ID. */
function idText(id: string): string {
  return id.replace(/[^\w.-]/g, '-');
}

/** True if the server refused the message itself, not the login or the state of the session. */
function isFinal(fault: NodemailerError): boolean {
  const { code, responseCode } = fault;
  return (
    code !== 'EAUTH' &&
    responseCode !== undefined &&
    responseCode >= 500 &&
    !SESSION_REPLIES.has(responseCode)
  );
}
