import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import { listens, onFreePort } from './ports.js';
import { endProcess } from './programs.js';

/** A program that listens on a port, and prints it. */
const LISTENER = `require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;

describe('the port of a program that a spec starts', () => {
  const open = scenes();

  async function listener(...command: readonly [string, ...string[]]) {
    const [program, ...args] = command;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    open.keep(child, () => endProcess(child));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { pid: child.pid!, port: Number(line) };
  }

  it('is its own, or that of a process that it has started', async () => {
    const own = await listener(process.execPath, '-e', LISTENER);
    const script = `const { spawn } = require('child_process');
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(LISTENER)}], { stdio: 'inherit' });
      process.on('SIGTERM', () => { child.kill(); process.exit() });`;
    const below = await listener(process.execPath, '-e', script);
    for (const { pid, port } of [own, below]) expect(await listens(pid, port)).to.equal(true);
  });

  it('is not its own if another program listens there', async function () {
    if (process.platform !== 'linux') this.skip();
    const { pid, port } = await listener(process.execPath, '-e', LISTENER);
    const server = createServer().listen(0, '127.0.0.1');
    open.keep(server, async (one) => void one.close());
    await once(server, 'listening');
    const other = (server.address() as AddressInfo).port;
    expect(await listens(pid, other)).to.equal(false);
    expect(await listens(process.pid, other)).to.equal(true);
    expect(await listens(pid, port)).to.equal(true);
  });

  it('is another one if it was lost, a few times', async () => {
    const tried: number[] = [];
    const starting = (fails: number) =>
      onFreePort(async (port) => {
        tried.push(port);
        if (tried.length <= fails) throw new Error(`lost ${tried.length}`);
        return port;
      });
    expect(await starting(2)).to.equal(tried[2]);
    tried.length = 0;
    const error: unknown = await starting(9).catch((one: unknown) => one);
    expect(error).to.have.property('message', 'lost 4');
  });
});
