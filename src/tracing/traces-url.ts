/** Returns the address of traces at a receiver of OTLP over HTTP. `endpoint`: its base address. */
export function tracesUrl(endpoint: string): string {
  return `${endpoint.replace(/\/$/, '')}/v1/traces`;
}
