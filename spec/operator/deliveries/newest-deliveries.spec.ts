import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { homeOf } from '../../store/home.js';
import { newestDeliveriesFeatures } from './newest-deliveries.features.js';

describe('deliveries in the embedded store', () => {
  newestDeliveriesFeatures(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mirzam-newest-'));
    return homeOf(
      () => openLmdb({ folder }),
      () => rm(folder, { recursive: true }),
    );
  });
});
