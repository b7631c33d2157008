/** The labels of an alert at an Alertmanager that say what it is of. They are the service's own. */
export const OWN_LABELS = ['alertname', 'tenant', 'server', 'rule_id'] as const;
