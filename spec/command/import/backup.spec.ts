import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { cpu, okBody } from '../../e2e/policy/actions.js';
import { type Scene, scenes } from '../../e2e/scene.js';
import { writtenFiles } from '../../written-files.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../../docs/operations.md', import.meta.url));

const run = promisify(execFile);

describe('the backups of docs/operations.md', () => {
  const open = scenes();
  const written = writtenFiles();
  let environment: Record<string, string>;
  let commands: readonly string[];

  beforeEach(async () => {
    const page = await readFile(PAGE, 'utf8');
    const section = page.slice(page.indexOf('\n## Backup\n'), page.indexOf('\n## Export\n'));
    commands = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text!);
    // The program that npx would find.
    await mkdir(written.pathOf('bin'));
    const npx = await written.file(
      'bin/npx',
      `#!/bin/sh\nshift\nexec "${process.execPath}" "${MAIN}" "$@"\n`,
    );
    await chmod(npx, 0o700);
    environment = {
      PATH: [written.pathOf('bin'), process.env['PATH']].join(delimiter),
      DATA_DIR: written.pathOf('data'),
      BACKUP: written.pathOf('backup'),
    };
  });

  const shell = (text: string) => run('sh', ['-euc', text], { env: environment });
  const start = () => open.service({ DATA_DIR: environment['DATA_DIR']! });
  const windowSize = async ({ api }: Scene): Promise<unknown> =>
    okBody(await api.call('GET', '/v1.0/demo'))['windowsize'];
  const change = async ({ api }: Scene, windowsize: number): Promise<void> => {
    okBody(await api.call('PUT', '/v1.0/demo', { windowsize }));
  };

  it('has four blocks of commands', () => {
    expect(commands.map((text) => text.split(' ', 3).join(' '))).to.deep.equal([
      'npx mirzam export',
      'mv "$DATA_DIR" "$DATA_DIR.before"\nnpx',
      'cp -a "$DATA_DIR"',
      'mv "$DATA_DIR" "$DATA_DIR.before"\ncp',
    ]);
  });

  it('an export is restored as it was', async () => {
    let service = await start();
    await change(service, 7);
    await cpu(service.api, 'web-1', 3);
    environment['MIRZAM_URL'] = service.url;
    await shell(commands[0]!);
    await change(service, 9);
    await service.close();
    await shell(commands[1]!);
    service = await start();
    expect(await windowSize(service)).to.equal(7);
    expect(await cpu(service.api, 'web-1', 4)).to.equal(2);
  });

  it('a copy of the folder is restored as it was', async () => {
    let service = await start();
    await change(service, 7);
    await service.close();
    await shell(commands[2]!);
    service = await start();
    await change(service, 9);
    await service.close();
    await shell(commands[3]!);
    service = await start();
    expect(await windowSize(service)).to.equal(7);
  });
});
