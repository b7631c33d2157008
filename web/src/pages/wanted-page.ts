import { queryValue } from '../router.js';

/** Returns the page of the query's `next`, if it is one of the console. */
export function wantedPage(): string {
  const next = queryValue('next');
  return /^\/console(?:\/(?!login)|\?|$)/.test(next) ? next : '/console';
}
