import { crc32, inflateSync } from 'node:zlib';

/** A PNG with a palette, decoded. */
export interface DecodedPng {
  readonly width: number;
  readonly height: number;
  /** Returns red, green, blue and opacity of a pixel, each 0..255. */
  at(x: number, y: number): readonly number[];
}

/** Decodes a PNG with a palette of 8 bits and without filters. Throws an `Error` where it is not a whole and valid one. */
export function decodedPng(file: Buffer): DecodedPng {
  const chunks = chunksOf(file);
  const [width, height] = [chunks.get('IHDR')!.readUInt32BE(0), chunks.get('IHDR')!.readUInt32BE(4)];
  const rows = inflateSync(chunks.get('IDAT')!);
  if (rows.length !== (width + 1) * height) throw new Error(`${rows.length} bytes for ${width} by ${height}`);
  const [colours, opacities] = [chunks.get('PLTE')!, chunks.get('tRNS')!];
  return {
    width,
    height,
    at: (x, y) => {
      const index = rows[y * (width + 1) + 1 + x]!;
      return [...colours.subarray(index * 3, index * 3 + 3), opacities[index] ?? 255];
    },
  };
}

function chunksOf(file: Buffer): ReadonlyMap<string, Buffer> {
  if (file.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('no signature of a PNG');
  const chunks = new Map<string, Buffer>();
  for (let place = 8; place < file.length;) {
    const end = place + 8 + file.readUInt32BE(place);
    const type = file.toString('latin1', place + 4, place + 8);
    if (crc32(file.subarray(place + 4, end)) !== file.readUInt32BE(end))
      throw new Error(`wrong checksum of ${type}`);
    chunks.set(type, file.subarray(place + 8, end));
    place = end + 4;
  }
  if ([...chunks.keys()].join(' ') !== 'IHDR PLTE tRNS IDAT IEND')
    throw new Error([...chunks.keys()].join(' '));
  return chunks;
}
