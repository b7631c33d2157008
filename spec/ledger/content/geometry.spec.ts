import { expect } from 'chai';
import { withAttribute } from './bodies.js';
import { refused } from './refused.js';

const ring = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];
const good: Readonly<Record<string, readonly unknown[]>> = {
  Point: [
    [8.5, 47.4],
    [8.5, 47.4, 400],
    [-0, 0],
  ],
  MultiPoint: [
    [[1, 2]],
    [
      [1, 2],
      [3, 4, 5],
    ],
    [],
  ],
  LineString: [
    [
      [1, 2],
      [3, 4],
    ],
  ],
  MultiLineString: [
    [
      [
        [1, 2],
        [3, 4],
      ],
      [
        [5, 6],
        [7, 8],
      ],
    ],
    [],
  ],
  Polygon: [[ring], [ring, ring]],
  MultiPolygon: [[[ring]], [[ring], [ring, ring]], []],
};
const bad: Readonly<Record<string, readonly unknown[]>> = {
  Point: [[], [1], ['1', '2'], [[1, 2]], [1, null], [1, Infinity], '1,2', {}, 7, undefined],
  MultiPoint: [[1, 2], [[1]], [[[1, 2]]], 'x', undefined],
  LineString: [
    [],
    [[1, 2]],
    [1, 2],
    [[1, 2], [3]],
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    undefined,
  ],
  MultiLineString: [
    [
      [1, 2],
      [3, 4],
    ],
    [[[1, 2]]],
    undefined,
  ],
  Polygon: [
    [],
    [[]],
    ring,
    [ring.slice(0, 3)],
    [[...ring.slice(0, 3), [0, 1]]],
    [[...ring.slice(0, 3), 7]],
    undefined,
  ],
  MultiPolygon: [[ring], [[ring.slice(1)]], [[[]]], undefined],
};

const geoProperty = (value: unknown) => withAttribute({ type: 'GeoProperty', value }, 'location');

describe('a geometry', () => {
  for (const [type, all] of Object.entries(good)) {
    for (const coordinates of all) {
      it(`may be a ${type} of ${JSON.stringify(coordinates)}`, () => {
        geoProperty({ type, coordinates });
        geoProperty({ type: 'GeometryCollection', geometries: [{ type, coordinates }] });
      });
    }
  }
  for (const [type, all] of Object.entries(bad)) {
    for (const coordinates of all) {
      it(`must not be a ${type} of ${JSON.stringify(coordinates)}`, () => {
        expect(refused(() => geoProperty({ type, coordinates }))).to.match(
          /^location\.value\.coordinates(?:\[\d\])*: must be an? /,
        );
        expect(
          refused(() => geoProperty({ type: 'GeometryCollection', geometries: [{ type, coordinates }] })),
        ).to.match(/^location\.value\.geometries\[0\]\.coordinates/);
      });
    }
  }
  for (const value of [7, 'Point', [], {}, { type: 'point', coordinates: [1, 2] }, { coordinates: [1, 2] }]) {
    it(`must not be ${JSON.stringify(value)}`, () => {
      expect(refused(() => geoProperty(value))).to.match(
        /^location\.value: must be a GeoJSON geometry: .*MultiPolygon/,
      );
    });
  }
  it('must not be a collection without geometries', () => {
    for (const geometries of [undefined, null, {}, 'x']) {
      expect(refused(() => geoProperty({ type: 'GeometryCollection', geometries }))).to.contain(
        'value.geometries: ',
      );
    }
  });
  it('may have further members', () => {
    geoProperty({ type: 'Point', coordinates: [1, 2], bbox: [1, 2, 1, 2], crs: null });
  });
  it('names every fault', () => {
    const message = refused(() => geoProperty({ type: 'MultiPoint', coordinates: [[1], [1, 2], ['x', 2]] }));
    expect(message).to.match(
      /^location\.value\.coordinates\[0\]: .*; location\.value\.coordinates\[2\]: [^;]*$/,
    );
  });
});
