import type { ChangeNote } from '../../actors/kind.js';
import { changeNote, endNote, noteOf } from '../../audit/change-notes.js';
import type { QuietTime } from '../quiet/quiet-time.js';
import { ruleNote, rulePath } from '../rules/rule-notes.js';
import { findRule } from '../rules/rule.js';
import type { TenantContext, TenantEvent } from './tenant-machine.js';

type Noting<T extends TenantEvent['type']> = (
  event: Extract<TenantEvent, { readonly type: T }>,
  before: TenantContext,
  after: TenantContext,
) => ChangeNote | undefined;

/** By type of event. Others change nothing for which somebody answers. */
const NOTES: { readonly [T in TenantEvent['type']]?: Noting<T> } = {
  resize: (_, before, after) =>
    changeNote('windowsize', { windowsize: before.window.size }, { windowsize: after.window.size }),
  addRule: ({ rule }) => noteOf('create', rulePath(rule.ruleId), ruleNote(rule)),
  changeRule: ({ ruleId }, before, after) => ofRule(ruleId, before, after),
  removeRule: ({ ruleId }, before, after) => ofRule(ruleId, before, after),
  delete: (_, before, after) => deleted(before, after),
  rotateSecret: () => noteOf('rotate', 'webhook-secret'),
  setQuiet: ({ quiet }, before, after) => ofQuiet(quiet.name, before, after),
  removeQuiet: ({ name }, before, after) => ofQuiet(name, before, after),
};

/** Returns the changes of a tenant that its audit shows. */
export function tenantNotes(
  event: TenantEvent,
  before: TenantContext,
  after: TenantContext,
): readonly ChangeNote[] {
  const note = (NOTES[event.type] as Noting<never> | undefined)?.(event as never, before, after);
  return note === undefined ? [] : [note];
}

/** A tenant that is unknown, or being deleted, is not deleted once more. */
function deleted({ deletedAt, names, rules }: TenantContext, after: TenantContext): ChangeNote | undefined {
  if (deletedAt !== undefined || after.deletedAt === undefined) return undefined;
  return endNote('delete', 'tenant', { names, rules: rules.map(({ name }) => name) });
}

function ofRule(ruleId: string, before: TenantContext, after: TenantContext): ChangeNote | undefined {
  const [old, changed] = [findRule(ruleId, before.rules), findRule(ruleId, after.rules)];
  if (old === undefined) return undefined;
  const path = rulePath(ruleId);
  return changed === undefined
    ? endNote('delete', path, ruleNote(old))
    : changeNote(path, ruleNote(old), ruleNote(changed));
}

function ofQuiet(name: string, before: TenantContext, after: TenantContext): ChangeNote | undefined {
  const find = ({ quiet }: TenantContext) => quiet.find((one) => one.name === name);
  const [old, made] = [find(before), find(after)];
  const path = `quiet/${name}`;
  if (made === undefined) return old && endNote('delete', path, quietNote(old));
  return old === undefined
    ? noteOf('create', path, quietNote(made))
    : changeNote(path, quietNote(old), quietNote(made));
}

function quietNote({ servers, rules, start, duration, timezone, rrule, comment }: QuietTime) {
  return { servers, rules, start, duration, timezone, rrule, comment };
}
