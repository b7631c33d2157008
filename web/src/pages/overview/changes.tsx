import type { OverviewView } from '../../../../src/console/shapes.js';
import { pathTo, withQuery } from '../../router.js';
import { isOperator } from '../../session.js';
import { StateBadge } from '../../ui/badge.js';
import { Sparkline } from '../../ui/figure.js';
import { Link } from '../../ui/link.js';
import { counted, Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { OfTenant } from '../../ui/tenant-name.js';
import { Id } from '../../ui/text.js';
import { Time } from '../../ui/time.js';

const LINES = [
  ['firing', 'began to fire'],
  ['noData', 'stopped getting data'],
  ['pending', 'began to hold'],
  ['calm', 'became calm'],
] as const;

/** What changed in the last day: a line for each state, and the rules that changed most often. */
export function Changes({ changes: { since, stepSeconds, lines, rules } }: Pick<OverviewView, 'changes'>) {
  const day = 24 * 60 * 60;
  const isWhole = lines.firing.length * stepSeconds >= day;
  return (
    <Section
      title="Last 24 hours"
      note={
        !isWhole && (
          <>
            since this node started, <Time at={since} />
          </>
        )
      }
    >
      <div class="panel changes">
        <ul class="change-lines">
          {LINES.map(([state, words]) => {
            const total = lines[state].reduce((sum, one) => sum + one, 0);
            return (
              <li key={state}>
                <StateBadge state={state} tone={state === 'calm' ? 'idle' : undefined} />
                <Sparkline values={lines[state]} />
                <span>
                  <Num value={total} /> {words}
                </span>
              </li>
            );
          })}
        </ul>
        {rules.length > 0 && (
          <ol class="change-rules" aria-label="Rules that changed most often">
            {rules.map(({ tenantId, name, firing, noData }) => (
              <li key={`${tenantId}/${name}`}>
                <Link
                  to={withQuery(pathTo('servers'), {
                    rule: name,
                    ...(isOperator.value && { tenant: tenantId }),
                  })}
                >
                  <Id text={name} plain />
                </Link>
                <OfTenant id={tenantId} />
                {': '}
                {[
                  firing > 0 && `fired ${counted(firing, 'time')}`,
                  noData > 0 && `no data ${counted(noData, 'time')}`,
                ]
                  .filter(Boolean)
                  .join(', ')}
              </li>
            ))}
          </ol>
        )}
      </div>
    </Section>
  );
}
