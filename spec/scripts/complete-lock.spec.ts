import { expect } from 'chai';
import { readFileSync } from 'node:fs';

interface Entry {
  readonly version: string;
  readonly os?: string[];
  readonly cpu?: string[];
  readonly libc?: string[];
  readonly optionalDependencies?: Record<string, string>;
}

const root = new URL('../../../', import.meta.url);
// A script of plain JavaScript without type declarations.
const { complete } = (await import(new URL('scripts/complete-lock.js', root).href)) as {
  complete: (packages: Record<string, Entry>) => string[];
};

describe('package-lock.json', () => {
  it('names all optional packages, so that npm ci accepts it on every platform', () => {
    const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
      packages: Record<string, Entry>;
    };
    expect(Object.keys(lock.packages).length).to.be.above(100);
    expect(complete(lock.packages), 'run node scripts/complete-lock.js').to.deep.equal([]);
  });

  it('gets missing entries with the platform in their names', () => {
    const packages: Record<string, Entry> = {
      'node_modules/a': {
        version: '1.0.0',
        optionalDependencies: {
          '@a/b-linux-x64-musl': '2.0.0',
          '@a/b-darwin-arm64': '2.0.0',
          '@a/b-wasm32-wasi': '2.0.0',
          '@a/there': '2.0.0',
        },
      },
      'node_modules/@a/there': { version: '2.0.0' },
    };
    expect(complete(packages)).to.deep.equal([
      '@a/b-linux-x64-musl',
      '@a/b-darwin-arm64',
      '@a/b-wasm32-wasi',
    ]);
    expect(packages['node_modules/@a/b-linux-x64-musl']).to.deep.include({
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
    });
    expect(packages['node_modules/@a/b-darwin-arm64']).to.deep.include({ os: ['darwin'], cpu: ['arm64'] });
    expect(packages['node_modules/@a/b-wasm32-wasi']).to.deep.include({ cpu: ['wasm32'] });
  });

  it('is not changed for a name without a known platform', () => {
    expect(() =>
      complete({ 'node_modules/a': { version: '1.0.0', optionalDependencies: { b: '1.0.0' } } }),
    ).to.throw('for which platform is b');
  });
});
