import { useEffect, useState } from 'preact/hooks';
import type { ServerView } from '../../../../src/console/shapes.js';
import { useLive } from '../../live.js';
import { extended, type SeriesByMetric } from './series.js';

/**
 * Returns the series of a server's windows since the page was opened. They grow with each event `facts`, and with each
 * reading of the server, which has what came while the connection was lost.
 */
export function useSeries({ tenantId, serverId, factId, windows }: ServerView): SeriesByMetric {
  const [series, setSeries] = useState<SeriesByMetric>({});
  useEffect(() => setSeries((before) => extended(before, { factId, windows })), [factId, windows]);
  useLive(
    ['facts'],
    (_, event) => {
      if (event.tenantId !== tenantId || event.serverId !== serverId) return;
      setSeries((before) => extended(before, event));
    },
    { tenant: tenantId, server: serverId },
  );
  return series;
}
