import { useState } from 'preact/hooks';
import type { ServerView, SessionView } from '../../../../src/console/shapes.js';
import { measurementLines, samplesFor } from '../../curl/measurements.js';
import { session } from '../../session.js';
import { Code } from '../../ui/code.js';
import { ChoiceField } from '../../ui/field.js';
import { Id, nameText } from '../../ui/text.js';
import { secondsText } from '../rules/seconds-text.js';

/** The lines that send measurements of this server. They are folded once it has measurements. */
export function SendMeasurements({ server }: { readonly server: ServerView }) {
  const [atFirst] = useState(server.factId === 0);
  const [chosen, setChosen] = useState<string>();
  const { windowsize, rules } = server;
  const service = session.value!;
  const rule = rules.find(({ ruleId }) => ruleId === chosen) ?? rules[0];
  const holds = samplesFor(server, rule) !== undefined;
  const hold = rule?.options.for ?? 0;
  return (
    <details class="lines" open={atFirst}>
      <summary>Send measurements with curl</summary>
      <p class="hint">
        These lines fill the window with {windowsize} {windowsize === 1 ? 'value' : 'values'}
        {holds && (
          <>
            , for which <Id text={rule!.name} plain /> holds
          </>
        )}
        .{holds && hold > 0 && ` It fires once it has held for ${secondsText(hold)}: send them again then.`} A
        context broker sends the same.
        {needs[service.measurements.auth]}
      </p>
      {rules.length > 1 && (
        <ChoiceField
          label="Rule that they make hold"
          value={rule!.ruleId}
          options={rules.map(({ ruleId, name }) => [ruleId, nameText(name)] as const)}
          onChange={setChosen}
        />
      )}
      <Code text={measurementLines(service, server, rule)} label="Measurements" />
    </details>
  );
}

const needs: Readonly<Record<SessionView['measurements']['auth'], string>> = {
  open: '',
  token: ' $TOKEN is a token of the tenant.',
  key: ' $FACTS_KEY is the key of the service’s brokers.',
};
