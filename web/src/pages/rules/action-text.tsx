import type { ServerRuleView } from '../../../../src/console/shapes.js';
import { Id } from '../../ui/text.js';

/** Shows what a rule does when it fires. */
export function ActionText({ action }: Pick<ServerRuleView, 'action'>) {
  const { actionName, email, operation } = action as Readonly<Record<string, string | undefined>>;
  if (email !== undefined) {
    return (
      <>
        e-mail to <Id text={email} />
      </>
    );
  }
  return (
    <>
      {operation === 'scaleDown' ? 'scale down' : 'scale up'}{' '}
      {actionName !== 'notify-scale' && (
        <span class="quiet-text">
          as <Id text={actionName ?? ''} />
        </span>
      )}
    </>
  );
}
