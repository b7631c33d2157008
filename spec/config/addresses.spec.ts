import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import type { Environment } from '../../src/config/read-values.js';
import { faultsOf } from './faults-of.js';

describe('public address', () => {
  /** Required settings of a reachable address. */
  const open = { IDENTITY_USERS: 'acme:ann:pw', OPERATOR_TOKEN: 'op'.repeat(16) };
  const publicUrl = (environment: Environment) => loadConfig({ ...open, ...environment }).http.publicUrl;

  it('is localhost if only this machine can reach the service', () => {
    expect(publicUrl({ HOST: '127.0.0.9', PORT: '81' })).to.equal('http://localhost:81');
    expect(publicUrl({ HOST: '::1' })).to.equal('http://localhost:8080');
  });

  it('is the host of the listener, in brackets for an IPv6 address', () => {
    expect(publicUrl({ HOST: '10.1.2.3' })).to.equal('http://10.1.2.3:8080');
    expect(publicUrl({ HOST: 'fd00::7' })).to.equal('http://[fd00::7]:8080');
    expect(publicUrl({ HOST: 'node-1.internal' })).to.equal('http://node-1.internal:8080');
  });

  it('is unknown before the start with a free port', () => {
    expect(publicUrl({ PORT: '0' })).to.equal(undefined);
    expect(publicUrl({ PORT: '0', PUBLIC_URL: 'http://a.example' })).to.equal('http://a.example');
  });

  it('warns if it is localhost although others can reach the service', () => {
    for (const HOST of ['0.0.0.0', '::']) {
      const { http, warnings } = loadConfig({ HOST, ...open });
      expect(http.publicUrl).to.equal('http://localhost:8080');
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/^PUBLIC_URL is not set/);
      expect(loadConfig({ HOST, ...open, PUBLIC_URL: 'http://a.example' }).warnings).to.deep.equal([]);
    }
  });
});

describe('accepted host names', () => {
  const open = { IDENTITY_USERS: 'acme:ann:pw', OPERATOR_TOKEN: 'op'.repeat(16) };
  const hosts = (environment: Environment) => loadConfig({ ...open, ...environment }).http.hosts;

  it('are those of HOSTS and of the public address', () => {
    expect(hosts({ PORT: '0' })).to.deep.equal([]);
    expect(hosts({ HOST: 'node-1.internal' })).to.deep.equal(['node-1.internal']);
    const PUBLIC_URL = 'https://Rules.example.org:8443/base';
    expect(hosts({ HOSTS: 'mirzam, Box.LAN', PUBLIC_URL })).to.deep.equal([
      'mirzam',
      'box.lan',
      'rules.example.org',
    ]);
  });

  it('are any in production, which warns about HOSTS', () => {
    const production = { NODE_ENV: 'production', HOSTS: 'mirzam' };
    expect(hosts(production)).to.equal(undefined);
    expect(loadConfig({ ...open, ...production }).warnings.join('\n')).to.include(
      'HOSTS is set and not used',
    );
  });

  it('have no port, scheme or blank', () => {
    for (const HOSTS of ['a,b:80', 'a,http://b', 'a,b c', 'a,', 'a,*', 'a,-b', 'a,b/']) {
      expect(faultsOf({ HOSTS }), HOSTS).to.deep.equal([
        'HOSTS: number 2 of the list is wrong; allowed: host names like rules.example.org, without ports, separated by commas',
      ]);
    }
  });
});
