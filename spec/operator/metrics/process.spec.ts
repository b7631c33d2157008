import { expect } from 'chai';
import { scenes } from '../../e2e/scene.js';
import { scrape, scrapeUntil } from '../scrape.js';

describe('the metrics of parts and the process', () => {
  const open = scenes();

  it('tell the room on the disk and the size of the embedded store', async () => {
    const { url } = await open.service();
    const { sum } = await scrape(url);
    const all = sum('mirzam_disk_bytes')!;
    expect(sum('mirzam_disk_free_bytes')).to.be.above(0).and.at.most(all);
    expect(sum('mirzam_store_file_bytes')).to.be.above(1_000).and.below(all);
  });

  it('tell which parts answer', async () => {
    const { url } = await open.service();
    expect((await scrape(url)).sum('mirzam_part_up', { part: 'mail' })).to.equal(1);
    const without = await open.service({ SMTP_URL: 'smtp://127.0.0.1:9' });
    await scrapeUntil(without.url, (found) => {
      expect(found.sum('mirzam_part_up', { part: 'mail' })).to.equal(0);
    });
  });

  it('count the readers of live events', async () => {
    const { url } = await open.service();
    const readers = (count: number) =>
      scrapeUntil(url, ({ sum }) => expect(sum('mirzam_event_readers')).to.equal(count));
    await readers(0);
    const leaving = new AbortController();
    const answer = await fetch(`${url}/operator/events`, { signal: leaving.signal });
    expect(answer.status).to.equal(200);
    await readers(1);
    leaving.abort();
    await readers(0);
  });
});
