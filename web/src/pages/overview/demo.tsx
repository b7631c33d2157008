import type { DemoView } from '../../../../src/console/shapes.js';
import { send } from '../../api.js';
import { useQuery } from '../../query.js';
import { pathTo } from '../../router.js';
import { Failed } from '../../ui/answer.js';
import { Button } from '../../ui/button.js';
import { Link } from '../../ui/link.js';
import { Num } from '../../ui/number.js';
import { Section } from '../../ui/page.js';
import { useTask } from '../../use-task.js';

const PATH = '/console/api/demo';

/** Plays the CPU series of the examples against a rule. It shows its progress, and leads to its server. */
export function DemoPanel() {
  const starting = useTask();
  const demo = useQuery<DemoView>(PATH, { every: ({ running }) => (running ? 1_000 : 60_000) });
  const { data } = demo;
  const start = (): Promise<void> =>
    starting.run(async () => {
      await send('POST', PATH);
      demo.reload();
    });
  const begun = data !== undefined && (data.running || data.sent > 0);
  return (
    <Section title="See it at work">
      <div class="panel demo">
        <p>
          A day and a half of a real machine's CPU, played in about 20 seconds against the rule “cpu greater
          than 85”: its window fills, the rule fires, a webhook goes out.
        </p>
        {starting.error !== undefined && <Failed message={starting.error} />}
        {begun && (
          <p class="demo-progress">
            <progress value={data.sent} max={data.total} aria-label="Facts sent" />
            <span>
              <Num value={data.sent} /> of <Num value={data.total} /> facts, <Num value={data.firings} />{' '}
              {data.firings === 1 ? 'firing' : 'firings'}
            </span>
          </p>
        )}
        <div class="demo-buttons">
          <Button
            kind={begun ? 'plain' : 'primary'}
            busy={starting.busy || data?.running === true}
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
