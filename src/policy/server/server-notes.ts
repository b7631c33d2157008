import type { ChangeNote } from '../../actors/kind.js';
import { changeNote, endNote, noteOf, withoutCredentials } from '../../audit/change-notes.js';
import { ruleNote, rulePath } from '../rules/rule-notes.js';
import type { Rule } from '../rules/rule.js';
import { shownForm } from '../../delivery/form/formats.js';
import { ackOf, stateFrom } from '../state/subscription-state.js';
import type { Subscription } from '../state/subscription.js';
import type { EventOf, ServerContext, ServerEvent } from './server-context.js';
import { isoOf } from '../../system/iso.js';

type Noting<T extends ServerEvent['type']> = (
  event: EventOf<T>,
  before: ServerContext,
  after: ServerContext,
) => readonly ChangeNote[];

/** By type of event. Others change nothing for which somebody answers. */
const NOTES: { readonly [T in ServerEvent['type']]?: Noting<T> } = {
  addRules: ({ rules }, _, after) =>
    rules.map((rule) => noteOf('create', pathOfRule(after, rule.ruleId), ruleNote(rule))),
  changeRule: ({ ruleId }, before, after) => changedRule(ruleId, before, after),
  removeRule: ({ ruleId }, before) => removedRule(ruleId, before),
  subscribe: (_, before, after) => subscribed(before, after),
  intend: (_, before, after) => subscribed(before, after),
  unsubscribe: (event, before) =>
    ofSubscription(event, before, (one, path) => endNote('delete', path, subscriptionNote(one))),
  mute: muted,
  unmute: muted,
  acknowledge: acknowledged,
  delete: (_, before) => [deleted(before)],
};

/** Returns the changes of a server that its audit shows. */
export function serverNotes(
  event: ServerEvent,
  before: ServerContext,
  after: ServerContext,
): readonly ChangeNote[] {
  return (NOTES[event.type] as Noting<never> | undefined)?.(event as never, before, after) ?? [];
}

type OnServer = Pick<ServerContext, 'address'>;

function pathOfServer({ address }: OnServer): string {
  return `servers/${address.name}`;
}

function pathOfRule(server: OnServer, ruleId: string): string {
  return `${pathOfServer(server)}/${rulePath(ruleId)}`;
}

function pathOfSubscription(server: OnServer, subscriptionId: string): string {
  return `${pathOfServer(server)}/subscription/${subscriptionId}`;
}

function ruleOf({ rules }: ServerContext, ruleId: string): Rule | undefined {
  return rules.find((rule) => rule.ruleId === ruleId);
}

function changedRule(ruleId: string, before: ServerContext, after: ServerContext): readonly ChangeNote[] {
  const [old, changed] = [ruleOf(before, ruleId), ruleOf(after, ruleId)];
  if (old === undefined || changed === undefined) return [];
  const note = changeNote(pathOfRule(after, ruleId), ruleNote(old), ruleNote(changed));
  return note === undefined ? [] : [note];
}

function removedRule(ruleId: string, before: ServerContext): readonly ChangeNote[] {
  const rule = ruleOf(before, ruleId);
  return rule === undefined ? [] : [endNote('delete', pathOfRule(before, ruleId), ruleNote(rule))];
}

/** A request for a subscription makes it, resumes a suspended one, or finds it as it is. */
function subscribed(before: ServerContext, after: ServerContext): readonly ChangeNote[] {
  const unchanged = new Set(before.subscriptions);
  const changed = after.subscriptions.filter((one) => !unchanged.has(one));
  return changed.flatMap((one) => {
    const old = before.subscriptions.find(({ id }) => id === one.id);
    const path = pathOfSubscription(after, one.id);
    if (old === undefined) return [noteOf('create', path, subscriptionNote(one))];
    const isResumed = old.suspended !== undefined && one.suspended === undefined;
    return isResumed ? [noteOf('resume', path, subscriptionNote(one))] : [];
  });
}

function subscriptionNote({ ruleId, url, ...form }: Subscription) {
  return { ruleId, url: withoutCredentials(url), ...shownForm(form) };
}

function ofSubscription(
  { subscriptionId }: { readonly subscriptionId: string },
  context: ServerContext,
  note: (subscription: Subscription, path: string) => ChangeNote | undefined,
): readonly ChangeNote[] {
  const known = context.subscriptions.find(({ id }) => id === subscriptionId);
  const made = known && note(known, pathOfSubscription(context, subscriptionId));
  return made === undefined ? [] : [made];
}

function muted(
  event: EventOf<'mute' | 'unmute'>,
  before: ServerContext,
  after: ServerContext,
): readonly ChangeNote[] {
  const [old] = ofSubscription(event, before, (one, path) => endNote('unmute', path, muteNote(one)));
  const isMuted = old?.before !== undefined && Object.keys(old.before).length > 0;
  if (event.type === 'unmute') return isMuted ? [old] : [];
  return ofSubscription(event, after, (one, path) => ({
    ...noteOf('mute', path, muteNote(one)),
    ...(isMuted && { before: old.before }),
  }));
}

function muteNote({ mutedUntil, muteComment }: Subscription) {
  return {
    ...(mutedUntil !== undefined && { mutedUntil: isoOf(mutedUntil) }),
    ...(muteComment !== undefined && { comment: muteComment }),
  };
}

function acknowledged(
  event: EventOf<'acknowledge'>,
  before: ServerContext,
  after: ServerContext,
): readonly ChangeNote[] {
  const { subscriptionId, by } = event;
  const ackIn = ({ subscriptions, states }: ServerContext) => {
    const current = stateFrom(states[subscriptions.findIndex(({ id }) => id === subscriptionId)]);
    const ack = current && ackOf(current);
    return ack && { by: ack.by, ...(ack.note !== undefined && { note: ack.note }) };
  };
  const [old, made] = [ackIn(before), ackIn(after)];
  const path = pathOfSubscription(after, subscriptionId);
  if (by === undefined) return old === undefined ? [] : [endNote('unacknowledge', path, old)];
  return [{ ...noteOf('acknowledge', path, made), ...(old !== undefined && { before: old }) }];
}

function deleted(context: ServerContext): ChangeNote {
  const rules = context.rules.map(({ name }) => name);
  return endNote('delete', pathOfServer(context), { rules, subscriptions: context.subscriptions.length });
}
