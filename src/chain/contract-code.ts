import type { Hex } from './port.js';
import { TOPIC } from './timestamp-call.js';

/** Instructions of the EVM. */
const PUSH1 = 0x60;
const PUSH32 = 0x7f;
const CALLCODE = 0xf2;
const DELEGATECALL = 0xf4;
/** The code of an account that has another contract's (EIP-7702), without that contract's address. */
const DELEGATION = '0xef0100';

/**
 * True if a contract with this code may emit the event `Timestamp`: the code holds the event's topic, or runs code of
 * another contract in its place, as proxies do (EIP-1167, EIP-1967). A topic that is computed is not found.
 */
export function mayEmit(code: Hex): boolean {
  if (code.startsWith(DELEGATION)) return true;
  if (code.includes(TOPIC.slice(2))) return true;
  return delegates(withoutMetadata(Buffer.from(code.slice(2), 'hex')));
}

function delegates(code: Buffer): boolean {
  for (let at = 0; at < code.length; at += 1) {
    const instruction = code[at]!;
    if (instruction === DELEGATECALL || instruction === CALLCODE) return true;
    // Its argument is not an instruction.
    if (instruction >= PUSH1 && instruction <= PUSH32) at += instruction - PUSH1 + 1;
  }
  return false;
}

/** Compilers append metadata, a CBOR map and its length in two bytes: the hash in it may look like any instruction. */
function withoutMetadata(code: Buffer): Buffer {
  if (code.length < 2) return code;
  const start = code.length - 2 - code.readUInt16BE(code.length - 2);
  const isMap = start >= 0 && code[start]! >= 0xa1 && code[start]! <= 0xa4;
  return isMap ? code.subarray(0, start) : code;
}
