import { expect } from 'chai';
import { durableSecret, durableTexts } from '../../src/store/durable-texts.js';
import { memoryStore } from '../actors/stage/memory-store.js';

describe('durable texts', () => {
  it('are stored by name, and the names can be listed', async () => {
    const store = memoryStore();
    const texts = durableTexts(store, 'secret');
    expect(await texts.get('b')).to.equal(undefined);
    expect(await texts.add('b', 'two')).to.equal('two');
    expect(await texts.add('a', 'one')).to.equal('one');
    expect(await durableTexts(store, 'secret').get('b')).to.equal('two');
    expect(await texts.names()).to.deep.equal(['a', 'b']);
    expect(await durableTexts(store, 'wallet-account').names()).to.deep.equal([]);
  });

  it('stay as they were first written', async () => {
    const texts = durableTexts(memoryStore(), 'secret');
    await texts.add('a', 'one');
    expect(await texts.add('a', 'two')).to.equal('one');
    expect(await texts.get('a')).to.equal('one');
  });

  it('are the secrets of the service, in the format of every release', async () => {
    const store = memoryStore();
    const secret = await durableSecret(store, 'identity');
    expect(secret).to.have.lengthOf(32);
    expect(await durableSecret(store, 'identity')).to.deep.equal(secret);
    expect(await durableSecret(store, 'wallet')).not.to.deep.equal(secret);
    const { frequent } = store.documents.get('secret/service/identity')!;
    expect(JSON.parse(frequent)).to.deep.equal({ secret: Buffer.from(secret).toString('base64') });
  });
});
