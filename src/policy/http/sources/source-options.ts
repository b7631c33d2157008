import type { SourceIntake } from '../../sources/source-intake.js';
import type { FactsAccess } from '../facts-access.js';
import type { SourceBodies } from './source-bodies.js';

/** What the routes of a source need. */
export interface SourceOptions {
  readonly access: FactsAccess;
  readonly intake: SourceIntake;
  readonly bodies: SourceBodies;
  /** Maximum length of a body, bytes after inflating. */
  readonly bodyLimit: number;
}
