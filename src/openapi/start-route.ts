import { READ, type Route, route } from '../http/router.js';
import { startLinks } from './start-links.js';

/** Returns the route of `/`: links as JSON. A browser is sent to the console. */
export function startRoute(version: string): Route {
  const links = startLinks(version);
  return route(READ, '/', (ctx) => {
    ctx.set('Vary', 'Accept');
    if (ctx.accepts('application/json', 'text/html') === 'text/html') return ctx.redirect('/console');
    ctx.body = links;
    return undefined;
  });
}
