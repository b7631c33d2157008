import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { specPrometheus } from '../../servers/prometheus.js';
import { alerts, dashboardExpressions, fileOf, textOf } from './rule-files.js';

const TOKEN = 'an operator token of thirty-two characters'.replaceAll(' ', '-');

/** A target of a scrape, as Prometheus' API has it. */
interface Targets {
  readonly activeTargets: readonly { readonly health: string; readonly lastError: string }[];
}

/** Rules, as Prometheus' API has them. */
interface Groups {
  readonly groups: readonly {
    readonly rules: readonly { readonly name: string; readonly state: string; readonly health: string }[];
  }[];
}

describe('Prometheus', () => {
  const open = scenes();
  const tools = specPrometheus();

  const path = (file: string): string => fileURLToPath(fileOf(`deploy/prometheus/${file}`));
  const passes = (...args: readonly string[]): void => {
    const { status, output } = tools().promtool(args);
    expect(status, output).to.equal(0);
  };

  it('accepts the alert rules and the configuration, and the unit tests of the rules pass', () => {
    passes('check', 'rules', path('alerts.yaml'));
    passes('test', 'rules', path('alerts.test.yaml'));
    passes('check', 'config', '--syntax-only', path('prometheus.yaml'));
  });

  it('parses each expression of the dashboard', async () => {
    const folder = await open.folder();
    const rules = dashboardExpressions().map(
      (expr, n) => `      - record: panel:${n}\n        expr: ${JSON.stringify(expr)}\n`,
    );
    expect(rules).to.have.length.above(30);
    const file = join(folder, 'dashboard.yaml');
    await writeFile(file, `groups:\n  - name: dashboard\n    rules:\n${rules.join('')}`);
    passes('check', 'rules', file);
  });

  /** Starts a Prometheus with the configuration of the repository, at shorter intervals. */
  const started = async (url: string, token: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    open.keep(folder, () => rm(folder, { recursive: true }));
    const config = textOf('deploy/prometheus/prometheus.yaml')
      .replaceAll('15s', '200ms')
      .replace('localhost:8080', new URL(url).host);
    const rules = textOf('deploy/prometheus/alerts.yaml').replaceAll('for: 1m', 'for: 3s');
    await writeFile(join(folder, 'prometheus.yaml'), config);
    await writeFile(join(folder, 'alerts.yaml'), rules);
    await writeFile(join(folder, 'operator-token'), token);
    const prometheus = await tools().start(join(folder, 'prometheus.yaml'), join(folder, 'data'));
    return open.keep(prometheus, () => prometheus.stop());
  };
  type Started = Awaited<ReturnType<typeof started>>;

  const until = <T>(prometheus: Started, question: string, fits: (data: T) => boolean): Promise<T> => {
    let last: T | undefined;
    return eventually(
      async () => {
        last = (await prometheus.ask(question)) as T;
        return fits(last) ? last : undefined;
      },
      SOON_MS,
      () => JSON.stringify(last),
    );
  };
  const isHealth = (health: string) => (targets: Targets) => targets.activeTargets[0]?.health === health;
  const states = ({ groups }: Groups): readonly string[] =>
    groups.flatMap(({ rules }) => rules.filter(({ state }) => state === 'firing').map(({ name }) => name));

  it('scrapes a service with the operator’s token, evaluates each rule, and fires if the service has ended', async () => {
    const service = await open.service({ OPERATOR_TOKEN: TOKEN });
    const prometheus = await started(service.url, TOKEN);
    await until(prometheus, 'targets', isHealth('up'));
    const { groups } = await until<Groups>(prometheus, 'rules?type=alert', (found) =>
      found.groups.every(({ rules }) => rules.every(({ health }) => health === 'ok')),
    );
    expect(groups.flatMap(({ rules }) => rules.map(({ name }) => name))).to.deep.equal(
      alerts().map(({ name }) => name),
    );
    expect(states({ groups })).not.to.include('MirzamDown');
    await service.close();
    await until<Groups>(prometheus, 'rules?type=alert', (found) => states(found).includes('MirzamDown'));
  });

  it('is refused without the token', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const prometheus = await started(url, `${TOKEN}-of-another-service`);
    const { activeTargets } = await until<Targets>(prometheus, 'targets', isHealth('down'));
    expect(activeTargets[0]!.lastError).to.include('401');
  });
});
