import { expect } from 'chai';
import { callersReasonOf, reasonOf, secretsIn } from '../../src/untrusted/reason.js';

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('the reason of a fault', () => {
  it('is the message of the first cause', () => {
    const expired = coded('certificate has expired', 'CERT_HAS_EXPIRED');
    const error = new Error('not sent', { cause: new TypeError('fetch failed', { cause: expired }) });
    expect(reasonOf(error)).to.equal('certificate has expired');
  });

  it('is that of each address, once', () => {
    const refused = (address: string) => coded(`connect ECONNREFUSED ${address}`, 'ECONNREFUSED');
    const error = new AggregateError([refused('[::1]:25'), refused('127.0.0.1:25'), refused('127.0.0.1:25')]);
    expect(reasonOf(error)).to.equal(
      'connection refused (connect ECONNREFUSED [::1]:25); connection refused (connect ECONNREFUSED 127.0.0.1:25)',
    );
  });

  it('has words for a code of the system, also where a library has replaced it', () => {
    expect(reasonOf(coded('connect ECONNREFUSED 127.0.0.1:25', 'ESOCKET'))).to.match(
      /^connection refused \(/,
    );
    expect(reasonOf(coded('socket hang up', 'ECONNRESET'))).to.equal('connection reset (socket hang up)');
    expect(reasonOf(coded('', 'ENOTFOUND'))).to.equal('unknown host (ENOTFOUND)');
  });

  it('says how a private authority is trusted', () => {
    const said = 'self-signed certificate in certificate chain';
    expect(reasonOf(coded(said, 'ESOCKET'))).to.equal(
      `${said} (NODE_EXTRA_CA_CERTS names a private authority)`,
    );
  });

  it('ends in circles of causes, and takes what is not an error', () => {
    const circle = new Error('round');
    circle.cause = circle;
    expect(reasonOf(circle)).to.equal('round');
    expect(reasonOf('broken')).to.equal('broken');
  });

  it('names no address and no host to a caller', () => {
    const altnames = "Hostname/IP does not match certificate's altnames";
    for (const [error, said] of [
      [coded('connect ECONNREFUSED 10.0.0.7:8545', 'ECONNREFUSED'), 'connection refused'],
      [coded('getaddrinfo ENOTFOUND chain.internal', 'ENOTFOUND'), 'unknown host'],
      [coded('certificate has expired', 'CERT_HAS_EXPIRED'), 'certificate has expired'],
      [coded(`${altnames}: Host: chain.internal. is not`, 'ERR_TLS_CERT_ALTNAME_INVALID'), altnames],
      [new AggregateError([coded('connect ECONNREFUSED [::1]:1', 'ECONNREFUSED')]), 'connection refused'],
      ['http://10.0.0.7', 'it failed'],
    ] as const) {
      expect(callersReasonOf(error)).to.equal(said);
    }
  });

  it('is one line of at most 300 characters', () => {
    const said = reasonOf(new Error(`a\r\nb${'x'.repeat(400)}`));
    expect(said).to.match(/^a bx+…$/);
    expect(said).to.have.length(300);
  });

  it('hides the credentials, and the long parts of path and query, of an address', () => {
    const url = 'https://rules:p%40ss@node.example/v3/0123456789abcdef?key=s3cret-0f-it';
    const error = new Error(
      `no p@ss, p%40ss, rules of ${url}; 0123456789abcdef s3cret-0f-it at node.example`,
    );
    const said = reasonOf(error, secretsIn(url));
    for (const secret of ['p@ss', 'p%40ss', 'rules', '0123456789abcdef', 's3cret-0f-it']) {
      expect(said).not.to.include(secret);
    }
    expect(said).to.include('node.example');
  });

  it('hides the credentials and the query of any url', () => {
    expect(reasonOf(new Error('at redis://a:b@host:1/x?token=c it ended'))).to.equal(
      'at redis://…@host:1/x?… it ended',
    );
  });
});
