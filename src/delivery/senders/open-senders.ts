import type { Senders } from '../delivery-kind.js';
import { emailSender } from './email.js';
import { mirrorSender } from './mirror.js';
import type { EmailMessage, Sender } from '../port.js';
import { targetRules, type TargetRules } from './targets.js';
import { type WebhookOptions, webhookSender } from './webhook.js';

/** Time for an attempt, ms: shorter than the time after which another node repeats it. */
const ATTEMPT_MS = 8_000;

export interface SendersOptions {
  /** The rules for the urls of webhooks. */
  readonly targets: TargetRules;
  /** The secrets that sign a tenant's webhooks, newest first. */
  readonly webhookSecrets: WebhookOptions['secrets'];
  /** Opens the headers of webhooks. */
  readonly seal: WebhookOptions['seal'];
  /** The mail server; undefined: every mail is a dead letter that says so. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** The right part of every Message-ID. */
  readonly messageIdDomain: string;
  readonly userAgent: string;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Opens the senders of all channels. */
export function openSenders(options: SendersOptions): Senders & { close(): Promise<void> } {
  const { targets, userAgent, now, smtpUrl } = options;
  const webhook = webhookSender({
    secrets: options.webhookSecrets,
    seal: options.seal,
    timeoutMs: ATTEMPT_MS,
    targets,
    now,
    userAgent,
  });
  const email =
    smtpUrl === undefined
      ? withoutServer
      : emailSender({
          smtpUrl,
          from: options.mailFrom,
          timeoutMs: ATTEMPT_MS,
          messageIdDomain: options.messageIdDomain,
        });
  const mirror = mirrorSender({
    timeoutMs: ATTEMPT_MS,
    // The operator chooses the broker, and brokers have private addresses.
    targets: targetRules({ production: false, allowed: [] }),
    now,
    userAgent,
  });
  return {
    webhook,
    email,
    mirror,
    async close() {
      await Promise.all([webhook.close(), email.close(), mirror.close()]);
    },
  };
}

const withoutServer: Sender<EmailMessage> = {
  send: async () => ({ result: 'refused', detail: 'no mail server: set SMTP_URL, then send it again' }),
  close: async () => {},
};
