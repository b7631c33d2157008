import { useEffect, useState } from 'preact/hooks';
import type { RuleStatus } from '../../../../src/policy/fleet/shapes.js';
import { anyOf } from '../../../../src/policy/quiet/patterns.js';
import { eachOfMany } from '../../forms/each-of-many.js';
import { FormButtons } from '../../forms/form-parts.js';
import { messageFormBody, NEW_MESSAGE_FORM } from '../../forms/message-form-draft.js';
import { MessageFormFields } from '../../forms/message-form-fields.js';
import { subscriptionPath } from '../../forms/policy-paths.js';
import { typedPatterns } from '../../forms/typed-patterns.js';
import { TextField } from '../../ui/field.js';
import { counted } from '../../ui/number.js';
import { announce } from '../../ui/status.js';
import { Id, nameText } from '../../ui/text.js';
import { TaskError } from '../../ui/task-error.js';
import { useTask } from '../../use-task.js';
import { allServers } from '../servers/use-servers.js';

interface BindFormProps {
  readonly rule: RuleStatus;
  /** Called after subscriptions were made, also if some failed. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Servers that are named before they are subscribed. */
const NAMED = 5;

/** The form that subscribes a receiver to a rule on all servers that fit patterns (operation 15 for each). */
export function BindForm({ rule, onDone, onClose }: BindFormProps) {
  const { tenantId, ruleId, name } = rule;
  const [servers, setServers] = useState<readonly string[]>();
  const [patterns, setPatterns] = useState('');
  const [form, setForm] = useState(NEW_MESSAGE_FORM);
  const [tried, setTried] = useState(0);
  const reading = useTask();
  const task = useTask();
  useEffect(() => {
    void reading.run(async () => {
      setServers((await allServers({ tenant: tenantId, sort: 'name' })).map(({ serverId }) => serverId));
    });
  }, []);
  const found = (servers ?? []).filter(anyOf(typedPatterns(patterns)));
  const subscribe = (): Promise<void> =>
    task.run(async () => {
      setTried(0);
      const changes = found.map((serverId) => ({
        method: 'POST' as const,
        path: subscriptionPath(tenantId, serverId),
        body: { ruleId, ...messageFormBody(form) },
        serverId,
      }));
      try {
        await eachOfMany(changes, setTried);
      } finally {
        onDone();
      }
      announce(`${counted(found.length, 'server is', 'servers are')} subscribed to the rule.`);
      onClose();
    });
  const problem = task.error ?? reading.error;
  return (
    <form
      class="form"
      noValidate
      aria-label="Subscribe many servers"
      onSubmit={(event) => {
        event.preventDefault();
        if (!task.busy && found.length > 0) void subscribe();
      }}
    >
      <p>
        The rule <Id text={name} plain />. A server that has the same subscription already keeps it.
      </p>
      <TextField
        label="Servers"
        hint="Patterns, separated by commas. * stands for any characters: web-*, db-1"
        spellcheck={false}
        value={patterns}
        onChange={setPatterns}
      />
      <p class="hint" role="status">
        {servers === undefined
          ? 'Reading the servers …'
          : `${counted(found.length, 'server')}${found.length === 0 ? '' : `: ${namesOf(found)}`}`}
      </p>
      <MessageFormFields
        draft={form}
        errorOf={() => undefined}
        onChange={(part) => setForm((before) => ({ ...before, ...part }))}
      />
      <TaskError text={problem} />
      <FormButtons
        busy={task.busy}
        action={
          task.busy
            ? `Subscribe (${tried} of ${found.length})`
            : `Subscribe ${counted(found.length, 'server')}`
        }
        onCancel={onClose}
      />
    </form>
  );
}

function namesOf(found: readonly string[]): string {
  const names = found.slice(0, NAMED).map((name) => nameText(name));
  return found.length > NAMED ? `${names.join(', ')}, …` : names.join(', ');
}
