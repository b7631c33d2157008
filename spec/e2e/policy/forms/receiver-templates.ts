import type { RECEIVER_TEMPLATES } from '../../../../web/src/forms/receiver-templates.js';
import { pageModule } from '../../../web/forms/page-module.js';

/** Loads the templates of receivers. */
export async function receiverTemplates(): Promise<typeof RECEIVER_TEMPLATES> {
  return (await pageModule('forms/receiver-templates.ts'))['RECEIVER_TEMPLATES']!;
}
