import { expect } from 'chai';
import { createConsumer } from '../../src/mqtt/consumer.js';
import type { Message, Take } from '../../src/mqtt/connection.js';
import { inTopicOrder } from '../../src/mqtt/topic-queues.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { CONNACK_3, DENIED, publish, rawBroker, TAKEN_OVER } from './raw-broker.js';

const FILTER = 'mirzam/+/+';

describe('a consumer of an MQTT broker', () => {
  const open = scenes();

  async function consuming(options: Parameters<typeof rawBroker>[0], take: Take = async () => undefined) {
    const broker = open.keep(await rawBroker(options), (one) => one.close());
    const peer = { url: broker.url.replace('//', '//ann:s3cret@'), clientId: 'spec' };
    const subscriber = {
      ...peer,
      filter: FILTER,
      formerFilter: 'x',
      sessionS: 60,
      largestPacket: 4_096,
      take,
    };
    const faults: (string | undefined)[] = [];
    const consumer = open.keep(
      createConsumer(subscriber, (fault) => faults.push(fault)),
      (one) => one.close(),
    );
    consumer.start();
    const become = <T>(found: () => T | undefined): Promise<T> =>
      eventually(found, SOON_MS, () => JSON.stringify({ faults, acknowledged: broker.acknowledged }));
    return { broker, consumer, faults, become };
  }

  const faultOf = async (options: Parameters<typeof rawBroker>[0]): Promise<string> => {
    const { faults, become } = await consuming(options);
    return become(() => faults.find((fault) => fault !== undefined));
  };

  it('says why it gets no messages, without the password', async () => {
    expect(await faultOf({ connack: CONNACK_3 })).to.match(/does not speak MQTT 5/);
    expect(await faultOf({ suback: DENIED })).to.match(/does not allow to subscribe to mirzam\/\+\/\+ \(/);
    const taken = await faultOf({ subscribed: (send) => send(TAKEN_OVER) });
    expect(taken).to.match(/another client uses the client id spec; each node needs its own MQTT_CLIENT_ID$/);
    expect(taken).to.match(/^127\.0\.0\.1:\d+: /);
  });

  it('acknowledges a message once it is taken, whatever those of other topics wait for', async () => {
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const take = inTopicOrder((topic) => (topic === 'mirzam/t/slow' ? slow : Promise.resolve()), 100);
    const { broker, become } = await consuming(
      {
        subscribed: (send) =>
          send(
            publish(7, 'mirzam/t/slow', '{}'),
            publish(8, 'mirzam/t/slow', '{}'),
            publish(300, 'mirzam/t/fast', '{}'),
          ),
      },
      take,
    );
    await become(() => (broker.acknowledged[0]?.length === 1 ? true : undefined));
    expect(broker.acknowledged).to.deep.equal([[300]]);
    finish();
    await become(() => (broker.acknowledged[0]?.length === 3 ? true : undefined));
    expect(broker.acknowledged).to.deep.equal([[300, 7, 8]]);
  });

  it('leaves what could not be taken, and what came behind it, to the next connection', async () => {
    const taken: string[] = [];
    let failures = 0;
    const take = inTopicOrder(async (_topic: string, messages: readonly Message[]) => {
      if (failures === 0) {
        failures += 1;
        throw new Error('the store is away');
      }
      taken.push(...messages.map(({ payload }) => String(payload)));
    }, 100);
    const packets = ['1', '2', '3', '4'].map((payload, i) => publish(i + 1, 'mirzam/t/s', payload));
    const { broker, faults, become } = await consuming({ subscribed: (send) => send(...packets) }, take);
    await become(() => (broker.acknowledged[1]?.length === 4 ? true : undefined));
    expect(broker.acknowledged).to.deep.equal([[], [1, 2, 3, 4]]);
    expect(taken).to.deep.equal(['1', '2', '3', '4']);
    expect(faults.find((fault) => fault !== undefined)).to.match(
      /^messages of 127\.0\.0\.1:\d+ wait there: the store is away$/,
    );
  });

  it('acknowledges nothing on another connection than the one it came with', async () => {
    const finish: (() => void)[] = [];
    const take: Take = () => new Promise((resolve) => finish.push(resolve));
    const { broker, faults, become } = await consuming(
      {
        subscribed: (send, connection) =>
          send(publish(5, 'mirzam/t/s', '{}'), ...(connection === 0 ? [TAKEN_OVER] : [])),
      },
      take,
    );
    await become(() => (finish.length === 2 ? true : undefined));
    finish[0]!();
    finish[1]!();
    await become(() => (broker.acknowledged[1]?.length === 1 ? true : undefined));
    expect(broker.acknowledged).to.deep.equal([[], [5]]);
    expect(faults).to.have.length(3);
  });

  it('takes what has begun when it is closed, and acknowledges it', async () => {
    let finish = (): void => undefined;
    const begun: string[] = [];
    const { broker, consumer, become } = await consuming(
      { subscribed: (send) => send(publish(1, 'mirzam/t/s', '1')) },
      ({ payload }) => {
        begun.push(String(payload));
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    );
    await become(() => (begun.length === 1 ? true : undefined));
    const closed = consumer.close();
    finish();
    await closed;
    await become(() => (broker.acknowledged[0]?.length === 1 ? true : undefined));
    expect(begun).to.deep.equal(['1']);
  });
});
