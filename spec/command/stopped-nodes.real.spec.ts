import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { runWords } from './command-runs.js';
import { writtenFiles } from '../written-files.js';

describe('mirzam export --stopped with MongoDB', () => {
  const open = scenes();
  const written = writtenFiles();
  const mongo = mongoOfSuite();

  it('refuses while a node was seen within 10 s, and names it', async () => {
    const MONGODB_URL = mongo.database();
    const exported = (file: string) => runWords(['export', '--stopped', file], { MONGODB_URL });
    const file = written.pathOf('export');
    const old = await open.service({ MONGODB_URL }, () => Date.now() - 60_000);
    await old.close();
    expect(await exported(file)).to.include({ code: 0, err: '' });
    const live = await open.service({ MONGODB_URL });
    const { code, err } = await exported(file);
    expect(code).to.equal(2);
    expect(err)
      .to.include(`in use by the node ${new URL(live.url).host}, last seen at`)
      .and.to.include('stop all nodes');
  });
});
