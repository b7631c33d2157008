import { expect } from 'chai';
import { behavior, type Snapshot, Unreadable } from '../../../src/actors/behavior.js';
import { readableKinds } from '../../../src/actors/reading.js';
import type { ActorEvent, ActorKind } from '../../../src/actors/kind.js';
import type { Stored } from '../../../src/store/port.js';
import { SERVER } from '../../../src/policy/server/server-kind.js';
import { drivenDeliveryKind } from '../../delivery/driven-delivery.js';
import { ADDRESS, NOON, policyKind, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

/** The kind as the release before has it. */
function before(kind: ActorKind): ActorKind {
  const { leastVersion: _, ...rest } = kind;
  return { ...rest, version: 1 };
}

/** Returns the document after events, each of which finds one that was stored. */
function documentOf(kind: ActorKind, events: readonly object[]): Stored {
  const machine = behavior(kind);
  let [snapshot, stored]: [Snapshot, Stored | undefined] = [machine.initial(ADDRESS), undefined];
  for (const event of events) {
    const next = machine.next(snapshot, { now: NOON, ...event } as ActorEvent);
    const { frequent, rare, ...document } = machine.document(next, undefined, next.context.wakeAt);
    stored = { ...document, frequent: frequent!, rare: rare!, revision: 1 };
    snapshot = machine.restore(stored);
  }
  return stored!;
}

describe('a document with a form of messages', () => {
  const tenant = tenantView();
  const server = policyKind(SERVER);
  const rules = { type: 'addRules', rules: [ruleOf()] };
  const subscribe = (form: object) => ({
    type: 'subscribe',
    subscription: { ...subscriptionOf(), ...form },
    tenant,
  });
  const headers = { headers: { Authorization: 'sealed' } };

  it('is left alone by a node of the release before, and others are not', () => {
    const [plain, formed] = [
      documentOf(server, [rules, subscribe({})]),
      documentOf(server, [rules, subscribe(headers)]),
    ];
    expect([plain.version, formed.version]).to.deep.equal([1, 2]);
    expect(plain.rare).not.to.match(/format|headers|template|needsVersion/);
    const older = behavior(before(server));
    older.restore(plain);
    expect(() => older.restore(formed)).to.throw(Unreadable, 'a newer release wrote it');
    const isReadable = readableKinds([before(server)]);
    expect([isReadable(SERVER, plain.version), isReadable(SERVER, formed.version)]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('stays so while messages of the subscription may wait', () => {
    const events = [rules, subscribe(headers), { type: 'unsubscribe', subscriptionId: 's1' }];
    expect(documentOf(server, events).version).to.equal(2);
    expect(documentOf(server, [...events, subscribe({})]).version).to.equal(2);
  });

  it('is that of a message too', () => {
    const kind = drivenDeliveryKind();
    const about = { tenant: 'acme', server: 'web-1', subscriptionId: 's1', factId: 1 };
    const dispatch = (form: object) => ({
      type: 'dispatch',
      message: { channel: 'webhook', url: 'http://a.example/', body: '{}', ...form },
      about,
    });
    const wait = { type: 'answered', answer: { result: 'retry', detail: '503' }, random: 0.5 };
    expect(documentOf(kind, [dispatch({}), wait]).version).to.equal(1);
    const formed = documentOf(kind, [dispatch({ format: 'cloudevents' }), wait]);
    expect(formed.version).to.equal(2);
    expect(() => behavior(before(kind)).restore(formed)).to.throw(Unreadable);
  });
});
