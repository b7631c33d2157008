import { Refusal, TerminalError } from '../../errors.js';
import type { Message } from '../../mqtt/connection.js';
import { turnBudget } from '../../system/turn-budget.js';
import { unknownTenant } from '../tenant/tenants.js';
import { LeftOutValues } from './left-out.js';
import { type MqttAddress, mqttAddress, type MqttMeasurements } from './mqtt-message.js';
import type { SourceFacts } from './source-facts.js';
import type { SourceIntake } from './source-intake.js';
import type { SourceValue } from './source-value.js';

/** What becomes of messages. `retained`: measurements without a time that the broker had stored before the subscription. */
export const MQTT_RESULTS = ['taken', 'refused', 'retained'] as const;

/** Where a message came from. */
interface MessageOrigin {
  readonly topic: string;
  /** The id of the tenant. If the tenant is unknown, what the topic names. */
  readonly tenant: string;
  readonly isKnown: boolean;
}

/** A message that is left out for good. */
export interface RefusedMessage extends MessageOrigin {
  readonly error: unknown;
}

/** What the intake of messages needs. */
export interface MqttIntakeOptions {
  /** As `tenants.resolve`. */
  readonly resolve: (idOrName: string) => string | undefined | Promise<string | undefined>;
  readonly intake: Pick<SourceIntake, 'read' | 'take'>;
  /** Reads a payload, a large one in a thread. Throws a `Refusal`. */
  readonly read: (payload: Buffer, tenant: string) => MqttMeasurements | Promise<MqttMeasurements>;
  /** Longest payload, bytes. */
  readonly limit: number;
  readonly onRefused: (refused: RefusedMessage) => void;
  readonly onResult: (result: (typeof MQTT_RESULTS)[number], messages: number) => void;
}

/** Bytes of payloads that are read and taken in one turn of the event loop: some milliseconds. */
const TURN_BYTES = 16 * 1024;
/** Cost of a message beside its topic and its payload, in bytes of payloads. */
const MESSAGE_BYTES = 128;
/** Cost of a value, in bytes of payloads: once when it becomes a part of a fact, and again when the fact is taken. */
const VALUE_BYTES = 16;

/**
 * Makes the intake of messages of one topic, in their order. It resolves once what counts of them is committed. A message
 * that cannot be taken, however often it comes, is left out and reported. It rejects if they cannot be taken now.
 */
export function createMqttIntake(options: MqttIntakeOptions) {
  const { resolve, intake, read, limit, onRefused, onResult } = options;
  // A broker sends as fast as its messages are taken: other work must get turns of the event loop.
  const turn = turnBudget(TURN_BYTES);

  /** Reports messages that are left out for good. Throws what may pass. */
  const refuse = (error: unknown, messages: number, about: MessageOrigin): void => {
    if (mayPass(error)) throw error;
    for (let i = 0; i < messages; i += 1) onRefused({ ...about, error });
    onResult('refused', messages);
  };

  /** Returns the facts of a message; undefined if it is left out. */
  const factsOf = async (
    { payload, isRetained }: Message,
    { server }: MqttAddress,
    about: MessageOrigin,
  ): Promise<SourceFacts | undefined> => {
    try {
      if (payload.length > limit) throw tooLong(payload.length, limit);
      const { at, values } = await read(payload, about.tenant);
      if (isRetained && at === undefined) {
        onResult('retained', 1);
        return undefined;
      }
      const timed = at === undefined ? {} : { at };
      // A thread may have read several large payloads since the last turn.
      await turn(values.length * VALUE_BYTES);
      return intake.read(values.map(([metric, value]): SourceValue => ({ server, metric, value, ...timed })));
    } catch (error) {
      refuse(error, 1, about);
      return undefined;
    }
  };

  const take = async (facts: readonly SourceFacts[], about: MessageOrigin): Promise<void> => {
    if (facts.length === 0) return;
    await turn(facts.reduce((sum, one) => sum + one.values * VALUE_BYTES, 0));
    try {
      await intake.take(about.tenant, 'mqtt', joined(facts));
      onResult('taken', facts.length);
    } catch (error) {
      if (facts.length === 1 || mayPass(error)) return refuse(error, facts.length, about);
      // One of them is at fault.
      for (const one of facts) await take([one], about);
    }
  };

  return async (topic: string, messages: readonly Message[]): Promise<void> => {
    // A message without a payload deletes a retained one at the broker.
    const sent = messages.filter(({ payload }) => payload.length > 0);
    await turn(sent.length * (MESSAGE_BYTES + topic.length));
    const unknown = { topic, tenant: topic, isKnown: false };
    let address: MqttAddress;
    try {
      address = mqttAddress(topic);
    } catch (error) {
      return refuse(error, sent.length, unknown);
    }
    const tenant = await resolve(address.tenant);
    if (tenant === undefined) {
      return refuse(unknownTenant(address.tenant), sent.length, { ...unknown, tenant: address.tenant });
    }
    const about = { topic, tenant, isKnown: true };
    const facts: SourceFacts[] = [];
    for (const message of sent) {
      await turn(message.payload.length);
      const found = await factsOf(message, address, about);
      if (found !== undefined) facts.push(found);
    }
    await take(facts, about);
  };
}

/** True for an error that a later try may not have. What the service cannot read in its store stays so. */
function mayPass(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'unavailable' && !(error.cause instanceof TerminalError);
}

function tooLong(length: number, limit: number): Refusal {
  return new Refusal('too-large', `payload: must have at most ${limit} bytes (BODY_LIMIT), not ${length}`);
}

/** Returns the facts of messages of one server as those of one request, in the order of the messages. */
function joined(all: readonly SourceFacts[]): SourceFacts {
  if (all.length === 1) return all[0]!;
  const leftOut = new LeftOutValues();
  for (const { why, last, count } of all.flatMap((one) => one.leftOut)) leftOut.add(why, last, count);
  const servers = all.flatMap((one) => one.servers);
  const [first] = servers;
  const values = all.reduce((sum, one) => sum + one.values, 0);
  if (first === undefined) return { servers: [], values, leftOut: leftOut.all };
  const measures = servers.flatMap(({ facts }) => facts.measures);
  const times = servers.flatMap(({ facts }) => facts.times ?? facts.measures.map(() => undefined));
  const timed = times.every((one) => one === undefined) ? {} : { times };
  return {
    servers: [{ ...first, facts: { measures, ...timed, source: undefined } }],
    values,
    leftOut: leftOut.all,
  };
}
