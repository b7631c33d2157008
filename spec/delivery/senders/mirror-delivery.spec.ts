import { expect } from 'chai';
import { startActors } from '../../../src/actors/runtime.js';
import type { Actors } from '../../../src/actors/kind.js';
import { createDeliveries, deliveryDispatcher } from '../../../src/delivery/deliveries.js';
import { DELIVERY } from '../../../src/delivery/delivery.js';
import { messageId } from '../../../src/delivery/message-id.js';
import { dispatchMirror, type Mirrored, mirrorSender } from '../../../src/delivery/senders/mirror.js';
import { targetRules } from '../../../src/delivery/senders/targets.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { startMirrorBroker } from './mirror-broker.js';
import { drivenEndpointKind } from '../endpoint/driven-endpoint.js';
import { drivenDeliveryKind } from '../driven-delivery.js';

describe('the delivery of a mirrored receipt', () => {
  it('is retried until the broker has the entity, once, however often it is dispatched', async () => {
    const broker = await startMirrorBroker();
    const counted: string[] = [];
    const targets = targetRules({ production: false, allowed: [] });
    const mirror = mirrorSender({ targets, now: Date.now, userAgent: 'spec' });
    const other = { send: () => Promise.reject(new Error('another channel')), close: async () => {} };
    const settings = { giveUpMs: 60_000, keepMs: 60_000, deadMs: 60_000 };
    const clock = { now: Date.now, random: () => 0 };
    const store = memoryStore();
    const dispatcher = deliveryDispatcher(
      () => actors,
      store,
      clock,
      () => undefined,
    );
    const actors: Actors = startActors({
      store,
      kinds: [
        drivenDeliveryKind({
          senders: { webhook: other, email: other, mirror },
          settings,
          clock,
          dispatcher,
          onAttempt: (channel, result) => counted.push(`${channel} ${result}`),
        }),
        drivenEndpointKind(),
      ],
      now: Date.now,
      onFault: ({ error }) => {
        throw error;
      },
    });
    const deliveries = createDeliveries({ actors: () => actors, store, dispatcher });
    dispatcher.start();
    const transactionHash = `0x${'ab'.repeat(32)}` as const;
    const mirrored: Mirrored = {
      url: broker.origin,
      receipt: { transactionHash },
      signedAt: 5,
      entities: ['urn:x'],
      tenant: 'acme',
    };
    try {
      broker.fail({ status: 503, type: 'LdContextNotAvailable' });
      for (let i = 0; i < 3; i += 1) await dispatchMirror(deliveries, mirrored, Date.now());
      const id = `${DELIVERY}/acme/${messageId(5, transactionHash)}_mirror`;
      const delivered = (): true | undefined =>
        store.documents.get(id)?.state === 'delivered' ? true : undefined;
      await eventually(delivered, SOON_MS, () => JSON.stringify([...store.documents.values()]));
      expect(broker.got).to.have.length(2);
      expect(counted).to.deep.equal(['mirror retry', 'mirror delivered']);
      expect([...broker.held.keys()]).to.deep.equal([`acme urn:ngsi-ld:dlttxreceipt:${transactionHash}`]);
      expect([...store.documents.keys()]).to.deep.equal([id]);
    } finally {
      await dispatcher.close();
      await actors.close();
      await mirror.close();
      await broker.stop();
    }
  });
});
