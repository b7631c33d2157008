import { useState } from 'preact/hooks';
import type { ServerView, SessionView } from '../../../../src/console/shapes.js';
import { measurementLines, samplesFor } from '../../curl/measurements.js';
import { session } from '../../session.js';
import { Code } from '../../ui/code.js';

/** The lines that send measurements of this server. They are folded once it has measurements. */
export function SendMeasurements({ server }: { readonly server: ServerView }) {
  const [atFirst] = useState(server.factId === 0);
  const { windowsize } = server;
  const service = session.value!;
  return (
    <details class="lines" open={atFirst}>
      <summary>Send measurements with curl</summary>
      <p class="hint">
        These lines fill the window with {windowsize} {windowsize === 1 ? 'value' : 'values'}
        {samplesFor(server) !== undefined && ', for which the first rule holds'}. A context broker sends the
        same.
        {needs[service.measurements.auth]}
      </p>
      <Code text={measurementLines(service, server)} label="Measurements" />
    </details>
  );
}

const needs: Readonly<Record<SessionView['measurements']['auth'], string>> = {
  open: '',
  token: ' $TOKEN is a token of the tenant.',
  key: ' $FACTS_KEY is the key of the service’s brokers.',
};
