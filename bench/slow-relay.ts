import { type AddressInfo, createConnection, createServer } from 'node:net';

// Forwards connections to a port of this machine. Delays what comes back. Sends its port to the process that forked it.

const [target, ms] = process.argv.slice(2).map(Number) as [number, number];

const server = createServer({ noDelay: true }, (client) => {
  const remote = createConnection({ host: '127.0.0.1', port: target, noDelay: true });
  client.pipe(remote);
  remote.on('data', (data) => setTimeout(() => client.write(data), ms));
  for (const [one, other] of [
    [client, remote],
    [remote, client],
  ] as const)
    one.on('error', () => undefined).once('close', () => other.destroy());
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
