import { viewer } from './session.js';

/** Returns the path of what the console shows of a server, or of what is named after it. Each segment is encoded. */
export function serverViewPath(tenant: string, server: string, ...rest: readonly string[]): string {
  return `/console/api/servers/${[tenant, server, ...rest].map(encodeURIComponent).join('/')}`;
}

/** Returns a path below that of operators, or of the tenant that is logged in. Each segment is encoded. */
export function ownPath(...segments: readonly string[]): string {
  const who = viewer.value;
  const base = who?.kind === 'tenant' ? ['v1.0', who.tenantId] : ['operator'];
  return ['', ...[...base, ...segments].map(encodeURIComponent)].join('/');
}
