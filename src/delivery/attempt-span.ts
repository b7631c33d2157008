import type { Span, Tracing } from '../tracing/port.js';
import { type DeliveryContext, isOfSubscription } from './delivery.js';
import type { Answer } from './port.js';

/** Starts the span of an attempt in the trace of the fact that caused the message. Of a url it has the origin only. */
export function attemptSpan(tracing: Tracing, { about, message, tries }: DeliveryContext): Span | undefined {
  if (!isOfSubscription(about) || about.trace === undefined) return undefined;
  if (message!.channel === 'email') return tracing.start('send mail', 'client', about.trace);
  // The sender refuses it.
  if (!URL.canParse(message!.url)) return tracing.start('POST', 'client', about.trace);
  const { origin, hostname, port, protocol } = new URL(message!.url);
  return tracing.start('POST', 'client', about.trace, {
    'http.request.method': 'POST',
    'url.full': origin,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    'http.request.resend_count': tries === 0 ? undefined : tries,
  });
}

/** Ends the span of an attempt with its answer. */
export function endAttempt(span: Span, { result, status }: Answer): void {
  const failure = result === 'delivered' ? undefined : String(status ?? 'no_answer');
  span.end({ 'http.response.status_code': status }, failure);
}
