/** Returns the headers by which Orion chooses a tenant and a service path. */
export function fiwareHeaders(tenant: string | undefined, servicePath: string): Record<string, string> {
  const path = { 'fiware-servicepath': servicePath };
  return tenant === undefined ? path : { ...path, 'fiware-service': tenant };
}
