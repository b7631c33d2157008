import { expect } from 'chai';
import { fault } from './query-texts.js';

describe('a geographical query', () => {
  it('has georel, geometry and coordinates together, or none of them', () => {
    const all = { georel: 'within', geometry: 'Point', coordinates: '[1,2]' };
    for (const left of ['georel', 'geometry', 'coordinates']) {
      const { [left]: _, ...given } = { ...all } as Record<string, string>;
      const text = String(new URLSearchParams(given));
      expect(fault(text)).to.match(new RegExp(`^${left}: is required: [^;]*$`));
    }
    expect(fault('georel=within')).to.match(/^geometry: is required.*; coordinates: is required/);
    expect(fault('georel=x&geometry=Point&coordinates=[1,2]')).to.match(/^georel: must be near;[^;]*;[^;]*$/);
  });

  for (const georel of [
    'near',
    'near;maxDistance=1',
    'near;maxDistance==-1',
    'near;maxDistance==',
    'Within',
    '',
  ]) {
    it(`must not have the georel ${JSON.stringify(georel)}`, () => {
      const given = new URLSearchParams({ georel, geometry: 'Point', coordinates: '[1,2]' });
      expect(fault(String(given))).to.match(/^georel: must be near/);
    });
  }

  for (const [geometry, coordinates] of [
    ['Point', ''],
    ['Point', 'x'],
    ['Point', '1,2'],
    ['Point', '[1]'],
    ['Point', '[[1,2]]'],
    ['Point', '[1,1e400]'],

    ['LineString', '[1,2]'],
    ['Polygon', '[[[0,0],[1,0],[1,1],[0,1]]]'],
    ['Polygon', '['.repeat(9_000)],
    ['Point', '['.repeat(9_000) + ']'.repeat(9_000)],
  ] as const) {
    it(`must not have coordinates unfit for the geometry: ${geometry} ${coordinates?.slice(0, 40)}`, () => {
      const given = new URLSearchParams({ georel: 'within', geometry: geometry, coordinates: coordinates });
      expect(fault(String(given))).to.match(/^coordinates(?:\[\d\])*: must /);
    });
  }

  it('accepts the geometries with coordinates', () => {
    for (const geometry of ['', 'point', 'GeometryCollection', 'Circle']) {
      expect(fault(`georel=within&geometry=${geometry}&coordinates=[1,2]`)).to.match(
        /^geometry: must be one of Point, /,
      );
    }
  });
});
