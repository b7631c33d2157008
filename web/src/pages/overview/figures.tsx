import { signal } from '@preact/signals';
import type { OverviewView, RatesView } from '../../../../src/console/shapes.js';
import type { Tone } from '../../ui/badge.js';
import { Figure } from '../../ui/figure.js';
import { blocksBehind } from './blocks-behind.js';
import { Count, Num, Rate } from '../../ui/number.js';
import { Since } from '../../ui/time.js';

/** Readings of the rates that are drawn. */
const KEPT = 60;

const kept = signal<readonly { readonly at: string; readonly rates: RatesView }[]>([]);

/** Adds the rates of a reading to those that are drawn. */
export function keepRates({ at, rates }: OverviewView): void {
  const past = kept.peek();
  if (rates === null || past.at(-1)?.at === at) return;
  kept.value = [...past.slice(1 - KEPT), { at, rates }];
}

/** The numbers of the service, each a link to what it counts. */
export function Figures({ overview }: { readonly overview: OverviewView }) {
  const { rates, deliveries, ledger, servers, refusedLastHour } = overview;
  return (
    <div class="figures">
      {rates !== null && (
        <>
          <RateFigure
            label="Facts/s"
            to="/console/servers"
            name="facts"
            rates={rates}
            stopped={isWatching(servers) ? rates.factsStopped : null}
          />
          <RateFigure label="Firings/s" to="/console/deliveries" name="firings" rates={rates} />
        </>
      )}
      {rates === null && (
        <Figure
          label="Servers firing"
          to="/console/servers?state=firing"
          tone={toneOf(servers.firing, 'bad')}
        >
          <Count value={servers.firing} />
        </Figure>
      )}
      <Figure label="Deliveries waiting" to="/console/deliveries?state=pending">
        <Count value={deliveries.waiting} />
      </Figure>
      <Figure label="Dead letters" to="/console/deliveries?state=dead" tone={toneOf(deliveries.dead, 'bad')}>
        <Count value={deliveries.dead} />
      </Figure>
      {refusedLastHour !== null && (
        <Figure
          label="Refused measurements"
          to="/console/refusals"
          tone={toneOf({ count: refusedLastHour }, 'warn')}
          note="in the last hour"
        >
          <Num value={refusedLastHour} />
        </Figure>
      )}
      {ledger !== null && rates !== null && (
        <RateFigure label="Receipts/s" to="/console/ledger" name="receipts" rates={rates} />
      )}
      {ledger !== null && <LedgerFigures ledger={ledger} dependencies={overview.dependencies} />}
    </div>
  );
}

interface RateFigureProps {
  readonly label: string;
  readonly to: string;
  readonly name: 'facts' | 'firings' | 'receipts';
  readonly rates: RatesView;
  /** When it fell to nothing, if it should not have. */
  readonly stopped?: string | null;
}

/** A rate with its course. */
function RateFigure({ label, to, name, rates, stopped = null }: RateFigureProps) {
  return (
    <Figure
      label={label}
      to={to}
      series={kept.value.map((past) => past.rates[name])}
      tone={stopped === null ? undefined : 'bad'}
      note={stopped === null ? undefined : ['none for ', <Since at={stopped} />]}
    >
      <Rate value={rates[name]} />
    </Figure>
  );
}

interface LedgerFiguresProps extends Pick<OverviewView, 'dependencies'> {
  readonly ledger: NonNullable<OverviewView['ledger']>;
}

function LedgerFigures({ ledger, dependencies }: LedgerFiguresProps) {
  const { count, warn, note } = blocksBehind(ledger, dependencies);
  return (
    <>
      <Figure
        label="Blocks behind"
        to="/console/ledger"
        tone={warn ? 'warn' : undefined}
        note={typeof note === 'string' ? note : ['newest ', <Num value={note.newest} />]}
      >
        {count === null ? '–' : <Num value={count} />}
      </Figure>
      <Figure label="Pending nonces" to="/console/ledger/accounts">
        <Count value={ledger.pendingNonces} />
      </Figure>
    </>
  );
}

/** True if some server has a rule that needs facts. */
function isWatching(servers: OverviewView['servers']): boolean {
  return Object.entries(servers).some(([state, { count }]) => state !== 'unwatched' && count > 0);
}

function toneOf({ count }: { readonly count: number }, tone: Tone): Tone | undefined {
  return count > 0 ? tone : undefined;
}
