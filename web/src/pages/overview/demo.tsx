import { useSignal } from '@preact/signals';
import type { DemoView } from '../../../../src/console/shapes.js';
import { send } from '../../api.js';
import { useQuery } from '../../query.js';
import { pathTo } from '../../router.js';
import { Failed } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';

const PATH = '/console/api/demo';

/** Plays the CPU series of the examples against a rule. It shows its progress, and leads to its server. */
export function DemoPanel() {
  const starting = useSignal(false);
  const error = useSignal('');
  const running = useSignal(true);
  const demo = useQuery<DemoView>(PATH, { every: running.value ? 1_000 : 60_000 });
  const { data } = demo;
  if (data !== undefined) running.value = data.running;
  const start = async (): Promise<void> => {
    starting.value = true;
    error.value = '';
    try {
      await send('POST', PATH);
      demo.reload();
    } catch (failure) {
      error.value = failure instanceof Error ? failure.message : String(failure);
    } finally {
      starting.value = false;
    }
  };
  const begun = data !== undefined && (data.running || data.sent > 0);
  return (
    <Section title="See it at work">
      <div class="panel demo">
        <p>
          A day and a half of a real machine's CPU, played in about 20 seconds against the rule “cpu greater
          than 85”: its window fills, the rule fires, a webhook goes out.
        </p>
        {error.value !== '' && <Failed message={error.value} />}
        {begun && <Progress demo={data} />}
        <div class="demo-buttons">
          <Button
            kind={begun ? 'plain' : 'primary'}
            busy={starting.value || data?.running === true}
            onClick={() => void start()}
          >
            {data?.running === true ? 'Playing' : begun ? 'Play it again' : 'Play the CPU series'}
          </Button>
          {begun && data.tenantId !== null && data.serverId !== null && (
            <Link to={pathTo('servers', data.tenantId, data.serverId)}>Watch its server</Link>
          )}
        </div>
      </div>
    </Section>
  );
}

function Progress({ demo }: { readonly demo: DemoView }) {
  return (
    <p class="demo-progress">
      <progress value={demo.sent} max={demo.total} aria-label="Facts sent" />
      <span>
        <Num value={demo.sent} /> of <Num value={demo.total} /> facts, <Num value={demo.firings} />{' '}
        {demo.firings === 1 ? 'firing' : 'firings'}
      </span>
    </p>
  );
}
