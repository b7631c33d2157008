import secp256k1 from 'secp256k1';
import { Refusal } from '../errors.js';
import { type Hex, hexOf } from '../system/chain-bytes.js';
import { fieldOf, jsonOf } from '../untrusted/json.js';
import type { WalletAnswer } from './exchange.js';
import type { SigningResult, UnsignedTransaction, Wallet } from './port.js';
import { redirects, secondsOf } from './refusals.js';
import { decoded, meaningless } from './signed-answer.js';
import { addressOfPublic, differenceOf, signingBytes, withSignature } from './transaction-bytes.js';
import type { WalletType } from './wallet-type.js';

/** Segments of the path before the name of a key. */
const SIGN = 'api/v1/eth1/sign';
const ADDRESS = /^0x[0-9a-f]{40}$/;
const PUBLIC_KEY = /^0x[0-9a-f]{128}$/;
const ALLOWLIST = 'its --http-host-allowlist must have it';
/** A prefix of WALLET_ADDRESSES may end anywhere in the path of a key. */
const API = /\/api(?:\/v1(?:\/eth1(?:\/.*)?)?)?$/;
/** r, s and v. */
const SIGNATURE = /^0x([0-9a-f]{128})([0-9a-f]{2})$/i;
/** The parity of the point's y for each v: as Web3Signer writes it, and as EIP-2718 does. */
const PARITIES: Readonly<Record<number, number>> = { 27: 0, 28: 1, 0: 0, 1: 1 };

/**
 * Keys in Web3Signer, for the execution layer: POST /api/v1/eth1/sign/{key} signs the keccak-256 of any data. The service
 * makes the bytes of the transaction, and takes a signature only if it is that of the key.
 */
export const web3signer: WalletType = {
  name: 'Web3Signer',
  form: {
    wanted: `the key’s http or https URL in Web3Signer, such as https://signer.example.org/${SIGN}/0x… with its public key, 64 bytes in hexadecimal`,
    // The address of the key, which is computed once for each request.
    nameAt: (segments) =>
      segments.slice(-5, -1).join('/') === SIGN ? addressAt(segments.at(-1)!) : undefined,
  },
  token: { optional: true, origin: 'as the proxy before Web3Signer takes it' },
  health: {
    url: (prefix) => `${prefix.replace(API, '')}/api/v1/eth1/publicKeys`,
    read(status, body) {
      const isList = (keys: unknown): keys is readonly string[] =>
        Array.isArray(keys) && keys.every((key) => typeof key === 'string' && PUBLIC_KEY.test(key));
      if (isHostRefused(status, body)) return `does not take this host: ${ALLOWLIST}`;
      if (status !== 200 || !isList(body)) return undefined;
      return body.length === 0 ? 'has no keys of the execution layer: it must load some' : 'ok';
    },
  },
  open:
    ({ exchange, inTime, now }) =>
    ({ account, addresses }, token): Wallet => {
      const address = account.name as Hex;
      const headers = { accept: 'text/plain', ...(token !== '' && { authorization: `Bearer ${token}` }) };
      const { url } = account;
      return {
        signsDynamicFees: true,
        account: async () => address,
        async sign(transaction, outer) {
          if (transaction.from !== address) throw new Error('the transaction is another account’s to sign');
          const body = { data: hexOf(signingBytes(transaction)) };
          const answer = await inTime.within(
            (signal) => exchange.send({ account: url.href, url, addresses, headers, token, body, signal }),
            outer?.signal,
          );
          if (answer.status !== 200) throw refusalOf(answer, token !== '', now());
          return signedBy(answer.text, transaction);
        },
      };
    },
};

/** The address of a key, from its public key or as it is; undefined for another name. */
function addressAt(name: string): Hex | undefined {
  if (ADDRESS.test(name)) return name as Hex;
  if (!PUBLIC_KEY.test(name)) return undefined;
  const point = Buffer.from(`04${name.slice(2)}`, 'hex');
  return secp256k1.publicKeyVerify(point) ? addressOfPublic(point) : undefined;
}

/** Throws `Refusal('bad-gateway')` for a text that is not a signature, or another key's. */
function signedBy(text: string, asked: UnsignedTransaction): SigningResult {
  const [, point = '', v = ''] = SIGNATURE.exec(text) ?? [];
  const recid = PARITIES[Number.parseInt(v, 16)];
  if (recid === undefined) throw meaningless('it is no signature of r, s and v');
  const signed = withSignature(asked, { signature: Buffer.from(point, 'hex'), recid });
  if (differenceOf(asked, decoded(signed.raw)) !== undefined) {
    throw meaningless('it signed with another key than that in Wallet-Address');
  }
  return signed;
}

/** The refusal for an answer without a signature. Texts of the answer are never passed on: they may contain secrets. */
function refusalOf({ status, retryAfter, text }: WalletAnswer, hasToken: boolean, now: number): Refusal {
  if (isHostRefused(status, jsonOf(text))) {
    return new Refusal('forbidden', `Web3Signer does not take the host of Wallet-Address: ${ALLOWLIST}`);
  }
  if (status === 401 || status === 403) {
    const why = hasToken ? 'refuses Wallet-Token' : 'needs a Wallet-Token';
    return new Refusal('forbidden', `the proxy before Web3Signer ${why} (${status})`);
  }
  if (status === 404) {
    return new Refusal(
      'not-found',
      'Web3Signer has no key of the name in Wallet-Address, or is not there: GET /api/v1/eth1/publicKeys lists its keys',
    );
  }
  if (status === 429 || (status >= 502 && status <= 504)) {
    return new Refusal(
      'unavailable',
      `Web3Signer, or the proxy before it, does not serve now (${status}); nothing was done`,
      { retryAfterS: secondsOf(retryAfter, now) },
    );
  }
  if (status >= 300 && status < 400) return redirects(status);
  return new Refusal(
    'bad-gateway',
    `Web3Signer answered ${status} instead of a signature; its log tells why; nothing was sent to the chain`,
  );
}

/** True for the answer of Web3Signer to a Host that it does not take, whatever the path. */
function isHostRefused(status: number, body: unknown): boolean {
  return status === 403 && fieldOf(body, 'message') === 'Host not authorized.';
}
