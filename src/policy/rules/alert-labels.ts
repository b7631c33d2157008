/** The labels that the service itself gives each alert at an Alertmanager. */
export const OWN_LABELS = ['alertname', 'tenant', 'server', 'rule_id'] as const;
