/**
 * Codes of errors for one operation of a bulk write: those of MongoDB (`src/mongo/base/error_codes.yml`), and of engines
 * that speak its protocol.
 */

/**
 * Returns the code that DocumentDB on PostgreSQL has inside: a SQLSTATE with six bits for each character. FerretDB 2 passes
 * it on for an operation of a bulk write, except for 14 codes that it translates (`MapWrappedCode` in its
 * `internal/mongoerrors/mongoerrors.go`). DocumentDB lists the states with MongoDB's codes in
 * `pg_documentdb_gw/include/all_error_mappings_oss_generated.csv`.
 */
function inDocumentDb(sqlState: string): number {
  return Buffer.from(sqlState).reduce((code, character, at) => code + (character - 48) * 64 ** at, 0);
}

/** PathNotViable: a change found no document of its revision. */
const NOT_FOUND_CODE = 28;

const MISSES: ReadonlySet<unknown> = new Set([
  NOT_FOUND_CODE,
  inDocumentDb('M000A'),
  // DuplicateKey: the id of a new document exists.
  11_000,
  inDocumentDb('M001C'),
]);

const TOO_LARGE: ReadonlySet<unknown> = new Set([
  // BSONObjectTooLarge.
  10_334,
  inDocumentDb('M001B'),
  // A document after an update, and after an upsert (`update_stage.cpp`, `upsert_stage.cpp`).
  17_419,
  17_420,
  // 285999133 and 302776349.
  inDocumentDb('M003A'),
  inDocumentDb('M003B'),
  // KeyTooLong: a value is too long for an index.
  17_280,
  // InvalidLength: Azure Cosmos DB has it for a request or a document over its limit (2 MB, or 16 MB).
  16,
]);

/** BadValue and FailedToParse. */
const INVALID: ReadonlySet<unknown> = new Set([2, inDocumentDb('M0001'), 9, inDocumentDb('M0003')]);

/** True for the codes of an operation of `writeOf` that did not find the expected revision. */
export function isMiss(code: unknown): boolean {
  return MISSES.has(code);
}

/** True for the codes of an operation whose document, or a value in it, is too large for the server. */
export function isTooLarge(code: unknown): boolean {
  return TOO_LARGE.has(code);
}

/** True for the codes of an operation that the server can never apply, whatever is stored. */
export function isOwnFault(code: unknown): boolean {
  return TOO_LARGE.has(code) || INVALID.has(code);
}
