import { transitionFeatures } from '../actors/transition.features.js';
import { tenantView } from './server/driven-server.js';
import { STORIES, storiedKinds } from './snapshot-stories.js';

const MARK = '0123456789abcdef01234567';

transitionFeatures({
  kinds: storiedKinds(),
  stories: STORIES,
  events: {
    server: [
      { type: 'abandon', mark: MARK },
      { type: 'rulesChanged', tenant: tenantView(1, [], 3) },
      { type: 'noDataTimeout', tenant: tenantView() },
      { type: 'discard', brokerId: 's1', mark: MARK },
      { type: 'acknowledge', subscriptionId: 's1', by: 'night' },
      { type: 'delete' },
      { type: 'deleteWithTenant' },
      { type: 'erased' },
      { type: 'planForgetting' },
      { type: 'dispatched', entryIds: ['', 's1'] },
    ],
    history: [{ type: 'erase', upTo: 3 }],
    trend: [{ type: 'erase' }],
    alert: [{ type: 'erase' }],
    tenant: [{ type: 'quietPlanned', plans: [] }, { type: 'delete' }, { type: 'erased' }],
    'tenant-name': [{ type: 'erase', tenantId: 'acme' }],
  },
});
