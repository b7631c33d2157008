import { JSON_BODY, quoted } from './shell.js';

const ENTITY = `'{"id": "urn:ngsi-ld:Building:farm001", "type": "Building",
  "name": {"type": "Property", "value": "The big red barn"}}'`;

/** Returns the line that records the creation of an entity. */
export function entityLines(publicUrl: string): string {
  return `curl -sS ${quoted(`${publicUrl}/ngsi-ld/v1/entities/`)} ${JSON_BODY} -d ${ENTITY}; echo`;
}
