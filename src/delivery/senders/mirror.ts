import type { Answer, MirrorMessage, Sender } from '../port.js';
import { openPosting, type PostingOptions } from './posting.js';
import { webhookAnswer, type Received } from './webhook-answer.js';

/**
 * Creates the entities of receipts in an NGSI-LD broker (ETSI GS CIM 009, "Create Entity"). Delivered is a 2xx, and a
 * 409 that says `AlreadyExists`: an attempt whose answer was lost. What else is worth another attempt is as for
 * webhooks. `close` breaks off what has no status yet: it is answered `retry`.
 */
export function mirrorSender(options: PostingOptions): Sender<MirrorMessage> {
  const posting = openPosting(options);
  return {
    send: (_id, { url, body, tenant }) =>
      posting.attempt({
        url,
        body,
        headers: () => ({
          // The context is in the body, so no Link may say another.
          'content-type': 'application/ld+json',
          accept: 'application/json',
          ...(tenant === undefined ? {} : { 'ngsild-tenant': tenant }),
        }),
        judge: mirrorAnswer,
      }),
    close: () => posting.close(),
  };
}

/** Another 409 is a conflict of registrations, which no repeating mends. */
function mirrorAnswer(received: Received, now: number): Answer {
  const { status, excerpt, tookMs } = received;
  if (status !== 409 || !excerpt.includes('AlreadyExists')) return webhookAnswer(received, now);
  return { result: 'delivered', detail: `409 in ${Math.round(tookMs)} ms: it was there already` };
}
