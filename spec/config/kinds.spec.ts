import { expect } from 'chai';
import {
  bytes,
  chainAddress,
  choice,
  decimal,
  endpointUrl,
  explorerUrl,
  headerValue,
  host,
  httpUrl,
  integer,
  type Kind,
  mailbox,
  mongodbUrl,
  mqttName,
  mqttUrl,
  NotAllowed,
  origins,
  privateKey,
  rpcUrl,
  smtpUrl,
  timeZone,
  text,
  urlPrefixes,
  wei,
} from '../../src/config/kinds.js';

interface Sample {
  readonly kind: Kind<unknown>;
  /** Text and its value. */
  readonly taken: readonly (readonly [text: string, value: unknown])[];
  readonly refused: readonly string[];
}

const samples: Record<string, Sample> = {
  choice: {
    kind: choice('on', 'off'),
    taken: [
      ['on', 'on'],
      [' off ', 'off'],
    ],
    refused: ['ON', 'onoff', ' '],
  },
  integer: {
    kind: integer(1, 100),
    taken: [
      ['1', 1],
      ['100', 100],
      [' 007 ', 7],
    ],
    refused: ['0', '101', '-1', '1.5', '1e1', '0x10', 'one', ' ', '9999999999999999999'],
  },
  decimal: {
    kind: decimal(0, 100),
    taken: [
      ['0', 0],
      ['1.2', 1.2],
      [' 007.125 ', 7.125],
      ['100.000', 100],
    ],
    refused: ['-1', '100.001', '1.2345', '1.', '.5', '1e1', '1,2', '0x1', 'NaN', ' '],
  },
  wei: {
    kind: wei,
    taken: [
      ['0', 0n],
      [' 9007199254740993 ', 9_007_199_254_740_993n],
      ['9'.repeat(27), 10n ** 27n - 1n],
    ],
    refused: ['-1', '1.5', '1e9', '0x1', '1gwei', ' ', '1'.repeat(28)],
  },
  chainAddress: {
    kind: chainAddress,
    taken: [[` 0x${'aB'.repeat(20)}`, `0x${'ab'.repeat(20)}`]],
    refused: ['ab'.repeat(20), `0x${'ab'.repeat(19)}`, `0x${'ab'.repeat(21)}`, `0x${'xy'.repeat(20)}`, '0x'],
  },
  privateKey: {
    kind: privateKey,
    taken: [
      [`0x${'aB'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
      [`${'0'.repeat(63)}1 `, `0x${'0'.repeat(63)}1`],
    ],
    refused: [
      '0x',
      'ab'.repeat(31),
      'ab'.repeat(33),
      'xy'.repeat(32),
      '0'.repeat(64),
      'f'.repeat(64),
      'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
    ],
  },
  bytes: {
    kind: bytes(1024, 1_048_576),
    taken: [
      ['1024', 1024],
      ['1KiB', 1024],
      ['512 KiB', 524_288],
      ['1MiB', 1_048_576],
    ],
    refused: ['1023', '1048577', '1025KiB', '2MiB', '1MB', '1mib', '1.5KiB', 'MiB', '-1'],
  },
  text: {
    kind: text,
    taken: [
      ['a b', 'a b'],
      [' ü ', ' ü '],
    ],
    refused: [' ', 'a\u0000', 'a\nb'],
  },
  headerValue: {
    kind: headerValue,
    taken: [['a!~', 'a!~']],
    refused: ['a b', 'ü', 'a\r\nx: y', 'a'.repeat(1025)],
  },
  host: {
    kind: host,
    taken: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['fe80::1', 'fe80::1'],
      ['a-1.b_c', 'a-1.b_c'],
    ],
    refused: ['http://a', 'a:80', 'a/b', 'a b', '[::1]', '-a', '1:2:3'],
  },
  mailbox: {
    kind: mailbox,
    taken: [
      ['mirzam@localhost', 'mirzam@localhost'],
      ['a.b+c@ex-ample.org', 'a.b+c@ex-ample.org'],
    ],
    refused: ['a', '@b', 'a@', 'a@b@c', 'a@b,c@d', 'A <a@b>', 'a@b\r\nBcc: c@d', 'a@-b', 'a b@c'],
  },
  timeZone: {
    kind: timeZone,
    taken: [
      ['Europe/Berlin', 'Europe/Berlin'],
      ['UTC', 'UTC'],
      [' Asia/Kolkata ', 'Asia/Kolkata'],
    ],
    refused: ['Berlin', '+01:00', 'CEST', 'Europe/Berlin,UTC', '1'],
  },
  endpointUrl: {
    kind: endpointUrl,
    taken: [
      ['https://id.example/introspect/?a=b', 'https://id.example/introspect/?a=b'],
      ['http://[::1]:5000/v3', 'http://[::1]:5000/v3'],
    ],
    refused: [
      'ftp://a',
      'a',
      '/a',
      'http:a',
      'http:///a',
      'http://a b/',
      'http://u@a/',
      'http://a/#b',
      'http://a:99999',
    ],
  },
  httpUrl: {
    kind: httpUrl,
    taken: [
      ['http://orion:1026/', 'http://orion:1026'],
      [' https://A.example/b// ', 'https://a.example/b'],
    ],
    refused: ['http://a/?b', 'http://a/#b', 'http://u:p@a', 'ws://a'],
  },
  explorerUrl: {
    kind: explorerUrl,
    taken: [
      ['https://etherscan.io/', 'https://etherscan.io/tx/{hash}'],
      ['https://scan.example/main/tx/', 'https://scan.example/main/tx/{hash}'],
      [' https://scan.example/t?id={hash}&l=en ', 'https://scan.example/t?id={hash}&l=en'],
    ],
    refused: [
      'etherscan.io',
      'https://u:p@a/{hash}',
      'https://{hash}',
      'https://a/{hash}/{hash}',
      'javascript:{hash}',
      'https://a/?b',
    ],
  },
  urlPrefixes: {
    kind: urlPrefixes,
    taken: [['http://a/b/,https://C:8200', ['http://a/b', 'https://c:8200']]],
    refused: [
      'a:80',
      'http://a?b',
      'http://u@a',
      'http://a,',
      'http://a http://b',
      'ws://a',
      'http://a/b//c',
      'http://a/b%2Fc',
    ],
  },
  rpcUrl: {
    kind: rpcUrl,
    taken: [
      ['http://node:8545', 'http://node:8545/'],
      [' wss://node/v3/key?a=b ', 'wss://node/v3/key?a=b'],
      ['ws://[::1]:8546/', 'ws://[::1]:8546/'],
    ],
    refused: ['node:8545', 'ipc://node', 'ws:node', 'ws://u:p@node', 'http://node/#a', 'ws://'],
  },
  smtpUrl: {
    kind: smtpUrl,
    taken: [
      ['smtp://u:p@mail:587', 'smtp://u:p@mail:587'],
      ['smtps://mail', 'smtps://mail'],
    ],
    refused: ['mail:25', 'http://mail', 'smtp:mail', 'smtp://', 'smtp://?a'],
  },
  mqttUrl: {
    kind: mqttUrl,
    taken: [
      ['mqtt://u:p%40@mqtt:1884', 'mqtt://u:p%40@mqtt:1884'],
      [' mqtts://[::1]/ ', 'mqtts://[::1]/'],
    ],
    refused: [
      'mqtt:1883',
      'tcp://mqtt',
      'ws://mqtt',
      'mqtt://mqtt/a',
      'mqtt://mqtt?a',
      'mqtt://mqtt#a',
      'mqtt://u:%@a',
    ],
  },
  mqttName: {
    kind: mqttName,
    taken: [[' node-1.a:b_c ', 'node-1.a:b_c']],
    refused: ['', 'a b', 'a/b', 'a+', '#', 'a'.repeat(129)],
  },
  mongodbUrl: {
    kind: mongodbUrl,
    taken: [
      ['mongodb://a,b/db?replicaSet=r', 'mongodb://a,b/db?replicaSet=r'],
      ['mongodb+srv://u:p@a', 'mongodb+srv://u:p@a'],
    ],
    refused: ['mongodb://', 'mongodb:///db', 'http://a', 'a:27017', 'mongodb+srvs://a', 'mongodb://a b'],
  },
  origins: {
    kind: origins,
    taken: [
      ['http://A:80', ['http://a']],
      ['https://a:8443/,http://[::1]:9', ['https://a:8443', 'http://[::1]:9']],
    ],
    refused: ['a:80', 'http://a/b', 'http://a?b', 'http://u@a', 'http://a,', 'http://a http://b', 'ftp://a'],
  },
};

describe('kinds of settings', () => {
  for (const [name, { kind, taken, refused }] of Object.entries(samples)) {
    it(`${name} parses allowed texts`, () => {
      for (const [sample, value] of taken) expect(kind.parse(sample), sample).to.deep.equal(value);
    });

    it(`${name} refuses other texts`, () => {
      for (const sample of refused) expect(kind.parse(sample), sample).to.be.instanceOf(NotAllowed);
    });
  }
});
