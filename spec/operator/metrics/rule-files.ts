import { readFileSync } from 'node:fs';

/** The folder of the repository. */
const ROOT = new URL('../../../../', import.meta.url);

/** An alert of `deploy/prometheus/alerts.yaml`. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly severity: string;
  readonly runbook: string;
}

/** Returns the address of a file of the repository. */
export function fileOf(path: string): URL {
  return new URL(path, ROOT);
}

/** Returns the text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(fileOf(path), 'utf8');
}

/** Returns the alerts. Each member is on a line of its own, or on the deeper lines below it. */
export function alerts(): readonly Alert[] {
  const [, ...rules] = textOf('deploy/prometheus/alerts.yaml').split(/^ +- alert: /m);
  return rules.map((rule) => {
    const member = (name: string): string => {
      const { deep, line } =
        new RegExp(`^ +${name}: (?:\\|(?<deep>(?:\\n {10}.*)+)|(?<line>.*))$`, 'm').exec(rule)?.groups ?? {};
      return deep ?? line ?? '';
    };
    const [name = ''] = rule.split('\n');
    return { name, expr: member('expr'), severity: member('severity'), runbook: member('runbook_url') };
  });
}

/** Returns the PromQL expressions of the dashboard, with values for Grafana's variables. */
export function dashboardExpressions(): readonly string[] {
  const { panels } = JSON.parse(textOf('deploy/grafana/mirzam.json')) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  return panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'));
}

/** Returns the names of metrics of the service in a PromQL expression, without the suffixes of histograms. */
export function metricsIn(text: string): readonly string[] {
  const names = text.match(/\b(?:mirzam|nodejs|process)_\w+\b/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))];
}
