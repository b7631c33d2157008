import { useState } from 'preact/hooks';
import type { OverviewView } from '../../../../src/console/shapes.js';
import { useQuery } from '../../query.js';
import { isOperator, session } from '../../session.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Link } from '../../ui/link.js';
import { Count } from '../../ui/number.js';
import { Page, Section } from '../../ui/page.js';
import { Prose } from '../../ui/text.js';
import { Since } from '../../ui/time.js';
import { DemoPanel } from './demo.js';
import { Figures, keepRates } from './figures.js';
import { FiringNow } from './firing-now.js';
import { FirstSteps, FoldedSteps } from './first-steps.js';

/** The rates are means of ten seconds: more often shows nothing new. */
const EVERY_MS = 2_000;

/** The overview: firing rules, figures, dependencies that are down; on an empty service the first steps. */
export function OverviewPage() {
  const overview = useQuery<OverviewView>('/console/api/overview', {
    on: ['transition', 'firing', 'delivery', 'receipt', 'fault'],
    every: EVERY_MS,
  });
  if (overview.data !== undefined) keepRates(overview.data);
  return (
    <Page title="Overview">
      <Answer query={overview}>{(data) => <Content overview={data} />}</Answer>
    </Page>
  );
}

function Content({ overview }: { readonly overview: OverviewView }) {
  const { setup, dependencies } = overview;
  const begun = setup.rules && setup.subscriptions && setup.facts;
  // The panel stays where it was at first: the viewer is using it while the service begins to have facts.
  const [demoFirst] = useState(!begun);
  const demo = session.value!.parts.demo && isOperator.value;
  return (
    <>
      <FaultyDependencies dependencies={dependencies} />
      <Figures overview={overview} />
      {demo && demoFirst && <DemoPanel />}
      {!begun && <FirstSteps setup={setup} />}
      {(begun || overview.firing.total.count > 0) && <FiringNow firing={overview.firing} />}
      {begun && (
        <Section title="Servers">
          <ul class="server-states">
            {states.map((state) => (
              <li key={state}>
                <Link to={`/console/servers?state=${state}`}>
                  <StateBadge state={state} /> <Count value={overview.servers[state]} />
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {demo && !demoFirst && <DemoPanel />}
      {begun && session.value!.development && <FoldedSteps />}
      <DependenciesUp dependencies={dependencies} />
    </>
  );
}

const states = ['firing', 'noData', 'pending', 'filling', 'calm', 'unwatched'] as const;

/** Dependencies that are down, or up with a warning, above everything else. */
function FaultyDependencies({ dependencies }: Pick<OverviewView, 'dependencies'>) {
  const faulty = dependencies.filter(({ status, warning }) => status === 'down' || warning !== undefined);
  if (faulty.length === 0) return null;
  return (
    <ul class="dependencies-down" aria-label="Dependencies with a fault">
      {faulty.map(({ name, status, since, detail, warning }) => (
        <li key={name}>
          <StateBadge
            state={status === 'down' ? 'down' : 'degraded'}
            text={status === 'down' ? `${name} is down` : `${name} needs attention`}
          />
          <span>
            {warning !== undefined && <Prose text={warning} />}
            {status === 'down' && since !== null && (
              <>
                for <Since at={since} />
              </>
            )}
            {detail !== null && (
              <>
                {': '}
                <Prose text={detail} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Dependencies that are up, in one line. */
function DependenciesUp({ dependencies }: Pick<OverviewView, 'dependencies'>) {
  const up = dependencies.filter(({ status }) => status === 'up');
  if (up.length === 0) return null;
  return (
    <p class="dependencies-up">
      {up.map(({ name }) => (
        <StateBadge key={name} state="up" text={`${name} is up`} />
      ))}
      <a href="/health/ready">Health</a>
    </p>
  );
}
