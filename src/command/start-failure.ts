import type { Logger } from 'pino';
import { ConfigError } from '../config/config.js';
import { StartError } from '../errors.js';

/**
 * Reports why the service did not start. Writes an expected error, without a stack, as plain lines to an interactive
 * `terminal`, else as one line to `log`. Writes any other error with its stack to `log`.
 */
export function reportFailure(
  error: unknown,
  log: Logger,
  terminal: { readonly isTTY?: boolean; write(text: string): unknown },
): void {
  if (!(error instanceof ConfigError || error instanceof StartError)) {
    log.fatal({ err: error }, 'the service could not start');
  } else if (terminal.isTTY === true) {
    terminal.write(`Mirzam cannot start: ${error.message}\n`);
  } else {
    log.fatal(error.message);
  }
}
