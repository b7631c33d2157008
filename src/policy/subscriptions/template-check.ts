import type { MessageTemplate } from '../../delivery/form/formats.js';
import { viewOf } from '../../delivery/form/message-view.js';
import { filled, LONGEST_FAULT, readTemplate, TemplateFault } from '../../delivery/form/template.js';
import { Refusal } from '../../errors.js';
import { oneLine } from '../../untrusted/text.js';
import { sampleAlerts } from '../alerts/sample-alerts.js';
import { webhookOf } from '../alerts/alert-messages.js';
import type { Rule } from '../rules/rule.js';

/**
 * Fills a template with a sample of each state that a rule can send. Rejects with `Refusal('bad-request')` for a template that
 * cannot be read, and for a text that must be JSON and is none; the message names the state. `rule`: undefined for one that is not
 * known, of which there is no sample.
 */
export async function checkTemplate(
  template: MessageTemplate,
  rule: Rule | undefined,
  of: {
    readonly tenantId: string;
    readonly serverId: string;
    readonly now: number;
    readonly publicUrl: string;
  },
): Promise<void> {
  const read = await readTemplate(template).catch((error: unknown) => refuse(error, ''));
  if (rule === undefined) return;
  const subscription = {
    id: 'sample',
    ruleId: rule.ruleId,
    url: '',
    at: of.now,
    format: 'template',
    template,
  } as const;
  for (const alert of sampleAlerts(rule, subscription, of)) {
    const message = webhookOf(alert, 'msg_sample', of.publicUrl);
    try {
      filled(read, viewOf(message));
    } catch (error) {
      refuse(error, ` for the state ${alert.state}`);
    }
  }
}

function refuse(error: unknown, where: string): never {
  if (!(error instanceof TemplateFault)) throw error;
  throw new Refusal('bad-request', oneLine(`template.body: ${error.message}${where}`, LONGEST_FAULT));
}
