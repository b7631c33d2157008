import { expect } from 'chai';
import type { OutboxEntry } from '../../src/actors/kind.js';
import { DELIVERY, deliveryKind } from '../../src/delivery/deliveries.js';
import type { DeliveryContext, DeliveryEvent } from '../../src/delivery/machine.js';
import type { Answer } from '../../src/delivery/port.js';
import type { Address } from '../../src/store/port.js';
import { ABOUT, DEAD, DELIVERED, GIVE_UP, KEEP, newDelivery, NOON, send } from './driven-delivery.js';
import { NO_REPORTS } from './no-reports.js';

/** Attempts whose receivers answer when they are told to; `sent` are the ids that were sent. */
function attempts() {
  const sent: string[] = [];
  const answers: ((answer: Answer) => void)[] = [];
  const sender = {
    send: (id: string) => {
      sent.push(id);
      return new Promise<Answer>((resolve) => answers.push(resolve));
    },
    close: async () => {},
  };
  const { effects } = deliveryKind(
    { webhook: sender, email: sender, mirror: sender },
    { giveUpMs: GIVE_UP, keepMs: KEEP, deadMs: DEAD },
    { now: () => NOON, random: () => 0 },
    NO_REPORTS,
  );
  return {
    sent,
    attempt: (tenant: string, name: string, url: string): Promise<DeliveryEvent> => {
      const delivery = newDelivery();
      send(delivery, { channel: 'webhook', url, body: '{}' });
      const context = { ...delivery.context, about: { ...ABOUT, tenant } } as DeliveryContext;
      const address = { kind: DELIVERY, tenant, name };
      const perform = effects['attempt'] as (
        ...given: readonly [OutboxEntry, DeliveryContext, Address]
      ) => Promise<DeliveryEvent>;
      return perform(context.outbox[0]!, context, address);
    },
    answer: () => {
      for (const resolve of answers.splice(0)) resolve(DELIVERED);
    },
  };
}

describe('deliveries', () => {
  it('of one tenant take 256 places, whatever the number of its receivers, and leave those of others', async () => {
    const { attempt, sent, answer } = attempts();
    const hanging = Array.from({ length: 256 }, (_, index) =>
      attempt('acme', `msg_${index}`, `http://r${index}.example/`),
    );
    expect(sent).to.have.length(256);
    expect(await attempt('acme', 'msg_more', 'http://more.example/')).to.have.property('type', 'postponed');
    const other = attempt('other', 'msg_other', 'http://r0.example/');
    expect(sent).to.have.length(257);
    answer();
    for (const event of await Promise.all([...hanging, other]))
      expect(event).to.have.property('type', 'answered');
  });

  it('to a healthy receiver are not postponed in a burst', async () => {
    const { attempt, sent, answer } = attempts();
    const burst = Array.from({ length: 400 }, (_, index) =>
      attempt('acme', `msg_${index}`, 'http://r.example/'),
    );
    const events = Promise.all(burst);
    while (sent.length < 400) {
      answer();
      await new Promise(setImmediate);
    }
    answer();
    expect((await events).filter(({ type }) => type !== 'answered')).to.deep.equal([]);
    expect(new Set(sent)).to.have.property('size', 400);
  });

  it('to a receiver that hangs are postponed after a short wait', async () => {
    const { attempt, sent, answer } = attempts();
    const hanging = Array.from({ length: 16 }, (_, index) =>
      attempt('acme', `msg_${index}`, 'http://r.example/'),
    );
    const started = performance.now();
    expect(await attempt('acme', 'msg_more', 'http://r.example/')).to.deep.equal({
      type: 'postponed',
      now: NOON,
      until: NOON + 500,
    });
    expect(performance.now() - started).to.be.below(1_000);
    expect(sent).to.have.length(16);
    answer();
    await Promise.all(hanging);
  });
});
