import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { answerJson, type Received, standIn, type StandIn } from '../identity/stand-in.js';

type Hex = `0x${string}`;

/** What the stand-in answers to a request that a Web3Signer would sign. */
export type SignerHabit =
  | { readonly is: 'honest' }
  /** Signs, and changes the signature or takes another key. */
  | { readonly is: 'changing'; readonly otherKey?: boolean; readonly change?: (signature: Parts) => Parts }
  | { readonly is: 'answering'; readonly status: number; readonly text: string; readonly headers?: object }
  /** Closes the connection without a word. */
  | { readonly is: 'closing' }
  /** Answers only when the spec says so. */
  | { readonly is: 'holding' };

/** A signature, as numbers. */
export interface Parts {
  readonly r: bigint;
  readonly s: bigint;
  readonly v: number;
}

/** A key of the stand-in. */
export interface SignerKey {
  /** Value of Wallet-Address. */
  readonly url: string;
  /** 64 bytes. */
  readonly publicKey: Hex;
  readonly address: Hex;
  /** Headers that name it, without a token. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Stands in for Consensys Web3Signer in its mode eth1, with real signatures. Written from its OpenAPI document
 * (core/src/main/resources/openapi-specs/eth1/web3signer.yaml), Eth1SignForIdentifierHandler, IdentifierUtils,
 * SecpArtifactSignature and SecpSigningAcceptanceTest, of github.com/Consensys/web3signer. Its JSON-RPC is left out.
 */
export interface Web3SignerStandIn extends StandIn {
  /** Makes a key, of this private key if given. `byAddress`: its URL has its address in place of its public key. */
  key(privateKey?: Uint8Array, options?: { readonly byAddress?: boolean }): SignerKey;
  become(habit: SignerHabit): void;
  /** Signs the requests that are held. */
  release(): void;
  /** Requests that are held. */
  held(): number;
}

/** Order of the curve. */
export const ORDER = secp256k1.Point.Fn.ORDER;

/** Starts one without keys. `path`: where a proxy has it. */
export async function startWeb3Signer({ path = '' } = {}): Promise<Web3SignerStandIn> {
  const keys = new Map<string, Uint8Array>();
  const held: (() => void)[] = [];
  let habit: SignerHabit = { is: 'honest' };

  const sign = (name: string, body: string, response: ServerResponse): void => {
    const data = dataIn(body);
    if (data === undefined) return text(response, 400, 'Bad Request');
    const key = keys.get(name);
    if (key === undefined) return text(response, 404, 'Resource not found');
    const { otherKey = false, change = unchanged } = habit.is === 'changing' ? habit : {};
    return text(response, 200, written(change(signed(data, otherKey ? randomBytes(32) : key))));
  };

  const server = await standIn((request, response) => {
    const [, name] = /^\/api\/v1\/eth1\/sign\/([^/]+)$/.exec(pathOf(request, path) ?? '') ?? [];
    if (name !== undefined && request.method === 'POST') {
      if (habit.is === 'closing') return void response.destroy();
      if (habit.is === 'answering') return text(response, habit.status, habit.text, habit.headers);
      const answer = (): void => sign(normalised(name), request.body, response);
      return habit.is === 'holding' ? void held.push(answer) : answer();
    }
    if (pathOf(request, path) === '/api/v1/eth1/publicKeys') {
      return answerJson(
        response,
        200,
        [...keys.keys()].filter((one) => one.length === 130),
      );
    }
    if (pathOf(request, path) === '/upcheck') return text(response, 200, 'OK');
    return text(response, 404, 'Resource not found');
  });

  return {
    ...server,
    key(privateKey = randomBytes(32), { byAddress = false } = {}) {
      const publicKey = hex(secp256k1.getPublicKey(privateKey, false).subarray(1));
      const address = hex(keccak_256(Buffer.from(publicKey.slice(2), 'hex')).subarray(12));
      for (const name of [publicKey, ...(byAddress ? [address] : [])]) keys.set(name, privateKey);
      const url = `${server.url}${path}/api/v1/eth1/sign/${byAddress ? address : publicKey}`;
      return { url, publicKey, address, headers: { 'Wallet-Type': 'Web3Signer', 'Wallet-Address': url } };
    },
    become: (next) => void (habit = next),
    release() {
      habit = { is: 'honest' };
      for (const answer of held.splice(0)) answer();
    },
    held: () => held.length,
  };
}

const unchanged = (parts: Parts): Parts => parts;

function pathOf(request: Received, prefix: string): string | undefined {
  return request.path.startsWith(`${prefix}/`) ? request.path.slice(prefix.length) : undefined;
}

/** Names are taken in any letter case, with and without 0x. */
function normalised(name: string): string {
  const lower = name.toLowerCase();
  return lower.startsWith('0x') ? lower : `0x${lower}`;
}

/** The data that is to be signed; undefined for what Web3Signer refuses as malformed. */
function dataIn(body: string): Uint8Array | undefined {
  let data: unknown;
  try {
    ({ data } = JSON.parse(body) as { data?: unknown });
  } catch {
    return undefined;
  }
  if (typeof data !== 'string' || !/^(?:0x)?(?:[0-9a-f]{2})+$/i.test(data)) return undefined;
  return Buffer.from(data.replace(/^0x/i, ''), 'hex');
}

function signed(data: Uint8Array, key: Uint8Array): Parts {
  const bytes = secp256k1.sign(keccak_256(data), key, { prehash: false, format: 'recovered' });
  const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, 'recovered');
  return { r, s, v: 27 + recovery! };
}

function written({ r, s, v }: Parts): string {
  const word = (value: bigint): string => value.toString(16).padStart(64, '0');
  return `0x${word(r)}${word(s)}${v.toString(16).padStart(2, '0')}`;
}

function text(response: ServerResponse, status: number, body: string, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(body);
}

function hex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
