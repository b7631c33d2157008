import type { OverviewView } from '../../../../src/console/shapes.js';
import { useQuery } from '../../query.js';
import { isOperator, session } from '../../session.js';
import { isWall, openWall } from '../../wall.js';
import { blocked, setSound, sound } from '../../alarm.js';
import { Answer } from '../../ui/answer.js';
import { StateBadge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Page, Section } from '../../ui/page.js';
import { Prose } from '../../ui/text.js';
import { Since } from '../../ui/time.js';
import { Changes } from './changes.js';
import { DemoPanel } from './demo.js';
import { Figures, keepRates } from './figures.js';
import { FirstSteps, FoldedSteps } from './first-steps.js';
import { StateCounts } from './state-counts.js';
import { TroubledReceivers } from './troubled-receivers.js';
import { Troubles } from './troubles.js';

/** The rates are means of ten seconds: more often shows nothing new. */
const EVERY_MS = 2_000;

/** The overview: who needs somebody and why, figures, dependencies that are down; on an empty service the first steps. */
export function OverviewPage() {
  const overview = useQuery<OverviewView>('/console/api/overview', {
    on: ['transition', 'firing', 'delivery', 'receiver', 'receipt', 'fault'],
    every: EVERY_MS,
  });
  if (overview.data !== undefined) keepRates(overview.data);
  return (
    <Page title="Overview" actions={!isWall.value && <Ways />}>
      {sound.value && blocked.value && (
        <p class="sound-blocked" role="status">
          The browser plays no sound until somebody has clicked on this page.
        </p>
      )}
      <Answer query={overview}>{(data) => <Content overview={data} reload={overview.reload} />}</Answer>
    </Page>
  );
}

/** Other ways to see and hear the overview. */
function Ways() {
  return (
    <>
      <Button kind="quiet" pressed={sound.value} onClick={() => setSound(!sound.value)}>
        Sound {sound.value ? 'on' : 'off'}
      </Button>
      <Button kind="quiet" onClick={openWall}>
        Show on a wall
      </Button>
    </>
  );
}

function Content({ overview, reload }: { readonly overview: OverviewView; readonly reload: () => void }) {
  const { setup, dependencies, servers, trouble, changes } = overview;
  const begun = setup.rules && setup.subscriptions && setup.facts;
  const isTroubled = trouble.total.count > 0;
  return (
    <>
      <FaultyDependencies dependencies={dependencies} />
      {(begun || isTroubled) && (
        <>
          <StateCounts servers={servers} />
          <Troubles trouble={trouble} changed={reload} />
          <TroubledReceivers receivers={trouble.receivers} />
        </>
      )}
      <Section title="Service">
        <Figures overview={overview} />
      </Section>
      {begun && <Changes changes={changes} />}
      {!isWall.value && (
        <>
          {session.value!.parts.demo && isOperator.value && <DemoPanel />}
          {!begun && <FirstSteps setup={setup} />}
          {begun && session.value!.development && <FoldedSteps />}
        </>
      )}
      <DependenciesUp dependencies={dependencies} quiet={isTroubled} />
    </>
  );
}

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

/** Dependencies that are up, in one line; not green while something is in trouble (`quiet`). */
function DependenciesUp({
  dependencies,
  quiet,
}: Pick<OverviewView, 'dependencies'> & { readonly quiet: boolean }) {
  const up = dependencies.filter(({ status }) => status === 'up');
  if (up.length === 0) return null;
  return (
    <p class="dependencies-up">
      {up.map(({ name }) => (
        <StateBadge key={name} state="up" tone={quiet ? 'idle' : 'good'} text={`${name} is up`} />
      ))}
      <a href="/health/ready">Health</a>
    </p>
  );
}
