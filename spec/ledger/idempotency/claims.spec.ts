import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import { homeOf } from '../../store/home.js';
import { claimsFeatures } from './claims.features.js';

describe('claims of an Idempotency-Key in the embedded store', () => {
  claimsFeatures(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'claims-'));
    return homeOf(
      () => openLmdb({ folder }),
      () => rm(folder, { recursive: true }),
    );
  });
});
