const DOCUMENTS = ['policy-api', 'ledger-api', 'settings', 'operations', 'security', 'glossary'];
const OPERATOR = [
  '/metrics',
  '/operator/actors',
  '/operator/deliveries',
  '/operator/events',
  '/operator/accounts',
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
