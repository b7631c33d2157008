import { READ, type Route, route } from '../http/router.js';

const DOCUMENTS = ['policy-api', 'ledger-api', 'settings', 'operations', 'security', 'glossary'];
const OPERATOR = [
  '/metrics',
  '/operator/actors',
  '/operator/deliveries',
  '/operator/events',
  '/operator/accounts',
  '/operator/nodes',
  '/operator/tenants',
  '/operator/inbox',
];

/** Returns the answer of `/`: the links of the service. */
export function startLinks(version: string) {
  return {
    name: 'mirzam',
    version,
    docs: DOCUMENTS.map((name) => `/docs/${name}`),
    openapi: '/openapi.json',
    health: '/health',
    operator: OPERATOR,
  };
}

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
