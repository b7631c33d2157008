import { viewer } from './session.js';

/** Returns a path below that of operators, or of the tenant that is logged in. Each segment is encoded. */
export function ownPath(...segments: readonly string[]): string {
  const who = viewer.value;
  const base = who?.kind === 'tenant' ? ['v1.0', who.tenantId] : ['operator'];
  return ['', ...[...base, ...segments].map(encodeURIComponent)].join('/');
}
