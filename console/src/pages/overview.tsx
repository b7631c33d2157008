import type { OverviewView } from '../../../src/console/shapes.js';
import { useQuery } from '../query.js';
import { Answer } from '../ui/answer.js';
import { Count } from '../ui/number.js';
import { Facts, Page } from '../ui/page.js';

/** What happens now, and what to do first on an empty service. */
export function OverviewPage() {
  const overview = useQuery<OverviewView>('/console/api/overview', {
    on: ['transition', 'firing', 'delivery', 'receipt', 'fault'],
    every: 5_000,
  });
  return (
    <Page title="Overview">
      <Answer query={overview}>
        {({ firing }) => <Facts rows={[['Firing', <Count key="firing" value={firing.total} />]]} />}
      </Answer>
    </Page>
  );
}
