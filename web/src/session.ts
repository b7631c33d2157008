/** The session: the viewer, and the parts of the service that the viewer may see. */
import { batch, computed, signal } from '@preact/signals';
import type { SessionView, ViewerView } from '../../src/console/shapes.js';

/** The answer of /console/api/session; undefined until the first one has come. */
export const session = signal<SessionView | undefined>(undefined);

/** The person at the console; null if the login comes first. */
export const viewer = computed<ViewerView | null>(() => session.value?.viewer ?? null);

/** True for an operator: somebody who sees all tenants. */
export const isOperator = computed(() => viewer.value?.kind === 'operator');

/** Tells viewers apart: it changes only when another person is there. Empty for nobody. */
export const viewerKey = computed(() => {
  const who = viewer.value;
  if (who === null) return '';
  return who.kind === 'tenant' ? `tenant ${who.tenantId}` : 'operator';
});

/** Whose session has ended by itself or in another window. null while somebody is there, and after a log-out here. */
export const ended = signal<ViewerView | null>(null);

/** Key of the viewer who logs out here. Several readings may say that the session is over. */
const leaving = signal<string | undefined>(undefined);

/** True while the viewer logs out here: the browser may drop the cookie at any time, and what is read then is refused. */
export const isLeaving = computed(() => leaving.value !== undefined);

/** Shows what was read of the session. */
export function showSession(read: SessionView): void {
  batch(() => {
    const before = viewer.peek();
    if (read.viewer !== null) ended.value = null;
    else if (before !== null && viewerKey.peek() !== leaving.peek()) ended.value = before;
    session.value = read;
    if (viewerKey.peek() !== leaving.peek()) leaving.value = undefined;
  });
}

/** Says that the session is over: the login is shown in place of the page, which stays where it is. */
export function endSession(): void {
  if (session.value !== undefined) showSession({ ...session.value, viewer: null, csrf: null });
}

/** Lets `leave` end the session: it does not count as one that has ended by itself. Returns and throws what `leave` does. */
export async function leaveSession<T>(leave: () => Promise<T>): Promise<T> {
  leaving.value = viewerKey.peek();
  try {
    return await leave();
  } catch (error) {
    leaving.value = undefined;
    throw error;
  }
}
