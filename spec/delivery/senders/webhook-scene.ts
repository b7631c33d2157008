import type http from 'node:http';
import type { Answer } from '../../../src/delivery/port.js';
import { targetRules } from '../../../src/delivery/senders/targets.js';
import type { Lookup } from '../../../src/untrusted/name-lookup.js';
import { webhookSender, type WebhookOptions } from '../../../src/delivery/senders/webhook.js';
import { startReceiver, type Receiver } from './receiver.js';
import { specSeal } from '../spec-seal.js';

/** The body of a webhook. Characters beyond ASCII show whether lengths are bytes. */
export const BODY = '{"action":"scaleUp","serverId":"Ⅷ"}';

/** The default secret of a spec's webhooks. */
export const SECRET = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=';

/** An answer of a receiver. */
export const status =
  (code: number, headers: http.OutgoingHttpHeaders = {}, text = '') =>
  (response: http.ServerResponse): void => {
    response.writeHead(code, headers).end(text);
  };

/** A webhook sender of a spec. By default it may call private addresses. */
export interface HttpPoster {
  readonly post: (url: string) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** Receivers and senders of one spec, closed together. */
export interface WebhookScene {
  readonly receiver: (...args: Parameters<typeof startReceiver>) => Promise<Receiver>;
  readonly sender: (options?: Partial<WebhookOptions> & { readonly lookup?: Lookup }) => HttpPoster;
  readonly end: () => Promise<void>;
}

/** Returns an empty scene. */
export function webhookScene(): WebhookScene {
  const ends: (() => Promise<void>)[] = [];
  return {
    receiver: async (...args) => {
      const receiver = await startReceiver(...args);
      ends.push(receiver.stop);
      return receiver;
    },
    sender: ({ lookup, ...options } = {}) => {
      const targets = targetRules({ production: false, allowed: [], ...(lookup && { lookup }) });
      const made = webhookSender({
        secrets: () => [SECRET],
        seal: specSeal,
        targets,
        now: Date.now,
        userAgent: 'spec',
        timeoutMs: 5_000,
        ...options,
      });
      const close = (): Promise<void> => made.close();
      ends.push(close);
      return { post: (url) => made.send('msg_1', { channel: 'webhook', url, body: BODY }, 'acme'), close };
    },
    end: async () => {
      for (const end of ends.toReversed()) await end();
    },
  };
}
