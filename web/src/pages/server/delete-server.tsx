import { useState } from 'preact/hooks';
import type { ServerView } from '../../../../src/console/shapes.js';
import { send } from '../../api.js';
import { policyPath } from '../../forms/policy-paths.js';
import { navigate, pathTo } from '../../router.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/dialog.js';
import { announce } from '../../ui/status.js';
import { Id } from '../../ui/text.js';

/** A button that deletes a server, after a question. The list of servers is shown then. */
export function DeleteServer({ server }: { readonly server: Pick<ServerView, 'tenantId' | 'serverId'> }) {
  const [open, setOpen] = useState(false);
  const { tenantId, serverId } = server;
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Delete server
      </Button>
      <Confirm
        open={open}
        title="Delete this server?"
        action="Delete server"
        danger
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await send('DELETE', policyPath(tenantId, 'servers', serverId));
          announce('The server is deleted.');
          navigate(pathTo('servers'));
        }}
      >
        <p>
          <Id text={serverId} />
        </p>
        <p>
          Its rules, subscriptions, windows, history, trend and undelivered messages are deleted. They cannot
          be restored. Its next measurement creates the server again, without them.
        </p>
      </Confirm>
    </>
  );
}
