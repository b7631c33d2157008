import { randomUUID } from 'node:crypto';

const sane = /^[A-Za-z0-9._:-]{1,128}$/;

/** The request's own X-Request-Id where it is 1 to 128 letters, digits or `._:-`; a new one otherwise. */
export function requestIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : randomUUID();
}
