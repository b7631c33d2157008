import { RuleForm } from '../../forms/rule-form.js';
import { useRestoredState } from '../../restored-state.js';
import { navigate, pathTo } from '../../router.js';
import { viewer } from '../../session.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';

/** The button that makes a server of a tenant: with its first rule and the receiver of its messages, in one form. */
export function NewServer() {
  const person = viewer.value;
  const [open, setOpen] = useRestoredState('new server', false);
  if (person?.kind !== 'tenant') return null;
  const close = (): void => setOpen(false);
  const done = (serverId?: string): void => {
    close();
    if (serverId !== undefined) navigate(pathTo('servers', person.tenantId, serverId));
  };
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        New server
      </Button>
      <Dialog open={open} title="New server" onClose={close}>
        <p class="hint">A server begins with its first rule, subscription or measurement.</p>
        <RuleForm tenantId={person.tenantId} asksServer onDone={done} />
      </Dialog>
    </>
  );
}
