import type { ReceiverTemplate } from '../../../../web/src/forms/receiver-templates.js';
import { pageModule } from '../../../web/forms/page-module.js';

/** Loads the templates of receivers. */
export async function receiverTemplates(): Promise<readonly ReceiverTemplate[]> {
  return (await pageModule('forms/receiver-templates.ts'))['RECEIVER_TEMPLATES']!;
}
