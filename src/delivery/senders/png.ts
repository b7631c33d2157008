import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

/** A picture of at most 256 colours. */
export interface PalettePicture {
  readonly width: number;
  readonly height: number;
  /** One index into the palette per pixel, row by row from the top. */
  readonly pixels: Uint8Array;
  /** Red, green, blue and opacity, each 0..255. */
  readonly palette: readonly (readonly [number, number, number, number])[];
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const deflated = promisify<Uint8Array, Buffer>(deflate);

/** Returns the picture as a PNG with a palette (ISO 15948). It is compressed outside the main thread. */
export async function pngOf({ width, height, pixels, palette }: PalettePicture): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per pixel, each the index of a colour; compression, filters and interlacing have no other choice or are off.
  header.set([8, 3, 0, 0, 0], 8);
  // A row begins with the number of its filter: 0, none.
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(([red, green, blue]) => [red, green, blue]))),
    chunk('tRNS', Buffer.from(palette.map(([, , , opacity]) => opacity))),
    chunk('IDAT', await deflated(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(typed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}
