import { signal } from '@preact/signals';
import type { OverviewView } from '../../../../src/console/shapes.js';
import type { Tone } from '../../ui/badge.js';
import { Figure } from '../../ui/figure.js';
import { blocksBehind } from './blocks-behind.js';
import { Count, Num, Rate } from '../../ui/number.js';

type Rates = NonNullable<OverviewView['rates']>;

/** So many readings of the rates are drawn. */
const KEPT = 60;

const kept = signal<readonly { readonly at: string; readonly rates: Rates }[]>([]);

/** Adds the rates of a reading to those that are drawn. */
export function keepRates({ at, rates }: OverviewView): void {
  const past = kept.peek();
  if (rates === null || past.at(-1)?.at === at) return;
  kept.value = [...past.slice(1 - KEPT), { at, rates }];
}

/** The numbers of the service, each a link to what it counts. */
export function Figures({ overview }: { readonly overview: OverviewView }) {
  const { rates, deliveries, ledger, servers, refusedLastHour } = overview;
  const course = (name: keyof Rates): readonly number[] => kept.value.map(({ rates }) => rates[name]);
  return (
    <div class="figures">
      {rates !== null && (
        <>
          <Figure label="Facts/s" to="/console/servers" series={course('facts')}>
            <Rate value={rates.facts} />
          </Figure>
          <Figure label="Firings/s" to="/console/deliveries" series={course('firings')}>
            <Rate value={rates.firings} />
          </Figure>
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
      {ledger !== null && (
        <LedgerFigures
          ledger={ledger}
          dependencies={overview.dependencies}
          rates={rates}
          receipts={course('receipts')}
        />
      )}
    </div>
  );
}

interface LedgerFiguresProps {
  readonly ledger: NonNullable<OverviewView['ledger']>;
  readonly dependencies: OverviewView['dependencies'];
  readonly rates: Rates | null;
  readonly receipts: readonly number[];
}

function LedgerFigures({ ledger, dependencies, rates, receipts }: LedgerFiguresProps) {
  const { count, warn, note } = blocksBehind(ledger, dependencies);
  return (
    <>
      {rates !== null && (
        <Figure label="Receipts/s" to="/console/ledger" series={receipts}>
          <Rate value={rates.receipts} />
        </Figure>
      )}
      <Figure
        label="Blocks behind"
        to="/console/ledger"
        tone={warn ? 'warn' : undefined}
        note={
          typeof note === 'string' ? (
            note
          ) : (
            <>
              newest <Num value={note.newest} />
            </>
          )
        }
      >
        {count === null ? '–' : <Num value={count} />}
      </Figure>
      <Figure label="Pending nonces" to="/console/ledger/accounts">
        <Count value={ledger.pendingNonces} />
      </Figure>
    </>
  );
}

function toneOf({ count }: { readonly count: number }, tone: Tone): Tone | undefined {
  return count > 0 ? tone : undefined;
}
