import { simpleParser } from 'mailparser';
import type { EmailMessage } from '../../../src/delivery/port.js';
import { apiClient, type ApiClient } from '../../e2e/api-client.js';
import type { Scenes } from '../../e2e/scene.js';
import { reply, startMailServer } from '../../delivery/senders/mail-server.js';
import { messageOf } from './live-message.js';
import type { Stage } from './live-player.js';
import { SETTINGS, tenantIdOf } from './live-stage.js';
import { Outages } from './outages.js';
import type { Attempted, Tried } from './expected-order.js';
import type { PlainMessage, RefusedStep } from './story.js';

/** What troubles a service that plays stories, and what its receivers and the mailbox get. */
export interface Troubles extends Tried {
  readonly webhooks: readonly LiveAttempt[];
  /** Receivers are named `server/subscription`, and `mail`. */
  readonly outages: Outages;
  /** Called for each message that a receiver refuses. */
  onRefused: (step: RefusedStep) => void;
  /** Stops the service and starts another one on its data. */
  readonly restart: () => Promise<void>;
}

/** An attempt at a receiver over HTTP. */
export interface LiveAttempt extends Attempted<PlainMessage> {
  readonly server: string;
}

/** A stage with troubles. */
export interface TroubledStage extends Stage {
  readonly troubles: Troubles;
}

/** Opens a stage with real receivers that fail as stories say: webhooks over HTTP, mails over SMTP. */
export async function openTroubledStage(scene: Scenes): Promise<TroubledStage> {
  let now = Date.parse('2026-11-23T12:00:00Z');
  const outages = new Outages();
  const webhooks: LiveAttempt[] = [];
  const mails: Attempted<Pick<EmailMessage, 'facts'>>[] = [];

  const receiver = await scene.receiver((response, got) => {
    const message = messageOf(got);
    const how = outages.of(got.url.slice(1), now);
    const isOver = how === undefined || how === 'gone';
    webhooks.push({ id: String(got.headers['webhook-id']), server: got.url.split('/')[1]!, message, isOver });
    if (how === 'gone') {
      const { subscription, fact, since } = message;
      troubles.onRefused({ do: 'refused', subscription, fact, since });
    }
    if (how === 'hang') return;
    if (how === 'reset' || how === 'lost') return void response.destroy();
    const status = { down: 503, busy: 429, gone: 410 } as const;
    response.writeHead(how === undefined ? 200 : status[how], { 'retry-after': '5' }).end();
  });

  const mailServer = scene.keep(
    await startMailServer({
      async onData(stream, _session, done) {
        const chunks: Buffer[] = [];
        for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
        const isOver = outages.of('mail', now) === undefined;
        mails.push({ ...(await mailIn(Buffer.concat(chunks))), isOver });
        done(isOver ? null : reply(451, 'come back later'));
      },
    }),
    (server) => server.stop(),
  );

  const folder = await scene.folder();
  const settings = { ...SETTINGS, DATA_DIR: folder, SMTP_URL: mailServer.url, MAIL_INTERVAL_S: '0' };
  let service = await scene.service(settings, () => now);
  let api: ApiClient = service.api;
  const troubles: Troubles = {
    outages,
    webhooks,
    mails,
    onRefused: () => {},
    async restart() {
      await service.close();
      service = await scene.service(settings, () => now);
      api = await apiClient(service.url);
    },
  };
  return {
    get api() {
      return api;
    },
    receiver,
    tenantId: await tenantIdOf(api),
    troubles,
    get now() {
      return now;
    },
    set now(at) {
      now = at;
    },
  };
}

/** Reads the id and the facts of a mail from its plain text. */
async function mailIn(raw: Buffer): Promise<Pick<Attempted<Pick<EmailMessage, 'facts'>>, 'id' | 'message'>> {
  const { messageId = '', text = '' } = await simpleParser(raw);
  const facts = [...text.matchAll(/^([A-Z][A-Za-z ]*): (.*)$/gm)].map(([, label, value]) => {
    return [label!, value!] as const;
  });
  return { id: messageId.replace(/^<(.*)@.*$/, '$1'), message: { facts } };
}
