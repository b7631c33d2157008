import { expect } from 'chai';
import { pino } from 'pino';
import { ConfigError } from '../../src/config/config.js';
import { StartError } from '../../src/errors.js';
import { reportFailure } from '../../src/command/start-failure.js';

function reported(error: unknown, isTTY: boolean): { written: string; logged: string } {
  let [written, logged] = ['', ''];
  const log = pino({}, { write: (line: string) => (logged += line) });
  reportFailure(error, log, { isTTY, write: (text) => (written += text) });
  return { written, logged };
}

describe('failed start', () => {
  for (const error of [new StartError('the port is taken'), new ConfigError(['PORT: no number'])]) {
    it(`writes plain lines to a terminal (${error.name})`, () => {
      const { written, logged } = reported(error, true);
      expect(written).to.equal(`Mirzam cannot start: ${error.message}\n`);
      expect(logged).to.equal('');
    });

    it(`writes one line to the log elsewhere, without a stack (${error.name})`, () => {
      const { written, logged } = reported(error, false);
      expect(written).to.equal('');
      expect(JSON.parse(logged))
        .to.include({ level: 60, msg: error.message })
        .and.not.to.have.property('err');
    });
  }

  it('logs an unexpected error with its stack', () => {
    const { written, logged } = reported(new Error('odd'), true);
    expect(written).to.equal('');
    expect(logged).to.include('"stack"').and.to.include('odd');
  });
});
