import { RLP } from '@ethereumjs/rlp';
import { expect } from 'chai';
import { headerOf } from '../../../src/ledger/proofs/header-form.js';
import type { Members } from '../../../src/ledger/proofs/json-fields.js';
import { type Hex, hexOf, keccak } from '../../../src/system/chain-bytes.js';

const BFT = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365';
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const NOTHING = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`;

/** Members that all headers here have. */
const COMMON: Members = {
  sha3Uncles: NO_UNCLES,
  miner: zeros(20),
  transactionsRoot: NOTHING,
  receiptsRoot: NOTHING,
  logsBloom: zeros(256),
  difficulty: '0x1',
  number: '0x1',
  gasUsed: '0x0',
  mixHash: BFT,
  nonce: zeros(8),
};

/**
 * With a vote, a round and four seals: `hash_of_qbft_block_header` of github.com/Consensys/qbft-tests, BftBlockHeaderHashTests.
 * Copyright ConsenSys AG, Apache License 2.0.
 */
const QBFT = {
  hash: '0x8d8736980278155e486cf0543c0a53cd3a3c961c3b976c6a4ac7dc5310dad88d',
  block: {
    ...COMMON,
    parentHash: '0xa7762d3307dbf2ae6a1ae1b09cf61c7603722b2379731b6b90409cdb8c8288a0',
    stateRoot: '0xca07595b82f908822971b7e848398e3395e59ee52565c7ef3603df1a1fa7bc80',
    gasLimit: '0x47c94c',
    timestamp: '0x5b3c3db8',
    extraData: `0xf90178a0000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fea9400000000000000000000000000000000000000\
01940000000000000000000000000000000000000002d794000000000000000000000000000000000000000381ff8400fedcbaf9010cb8412d98a30d284\
4aa05b4fcf3abcd333e195d4ad365726a7b9a5bc19744dcec0ad42d129ad2890b86c32a969a9b511d8c1c846f7eb694455bb29b7365ab260a188100b8416\
e65e1097c802f12fe12048871f228fc394fb005cbf5c55225adbff7e82c94d352fc83967effa3a777a9d50e677108b732258c7ef6e1a3e8fc34919b90e0f\
34e00b841b8462060df24936c7da7413fbf8ac706775d06ba052831075fd2059458ca91e971f35a7a90ec5225328fe25d6dec51de3a2d71e81a581ceb98a\
cdafd5bcd12f801b841be1cb71a2525013ae8ac676505597229265960b4d34654dc88249d1bc7e07a324f44b16542adad19bddade1785ac9687b656cbf64\
685a2e6e6b4f04d9aad23cd00`,
  },
} as const;

/** Block 1 of Luckywin, a public chain of GoQuorum with IBFT (chain id 2018), as its JSON-RPC answered it. */
const IBFT = {
  hash: '0x357a793ce35a1d36a6d85be8df93bae275b7f0908d20124dc1712b57b3b3fa70',
  block: {
    ...COMMON,
    parentHash: '0x984b16bb3fd1f204e3bc125a6c9654d82ea6264f2797f3ffc67a557a857c78b3',
    stateRoot: '0x07fe2c0d3dc368ed1b9d3677d4a07b790d677463d16c1b07cfee20ef58e79054',
    gasLimit: '0x7a1200',
    timestamp: '0x5bf4cedb',
    extraData: `0xd883010810846765746888676f312e31312e32856c696e757800000000000000f90164f854946571d97f340c8495b661a823f2c2145ca\
47d63c294d8dba507e85f116b1f7e231ca8525fc9008a696694e36cbeb565b061217930767886474e3cde903ac594f512a992f3fb749857d758ffda1330e\
590fa915eb841d8c2dc52e9409b51cf06ac607422ec806eb8bd69b471ad98d63cc75544f116732d73f9b9cd5a65ee23dd7df5c553a22d4f6af344b4c2e01\
278b70bd7bbdd69a601f8c9b8416d47583a7a3ff38c394a8da9cb16fd0cd7cc33356283b635a03cd38ccf4fa0192f8bfd9e2d516d01bbff6c8b516b7374f\
e385118a6c8956d17218555595befbb01b8411765e61c361159b022087708c7458560f2e068b47a411bafb32e3b3d931746a82f65d23c7d899aa1b7bec22\
71070477e5a73a79c722a3fa44487e5a01b025ad901b84132598cdeecebd49ccf7bc094d2d50efc0f17e772f92d4d8ccf00d666880d018d4db7999a40816\
bfa58b5f1b14e367f2b54b77665b63994bbf0188c9a9603fd8b01`,
  },
} as const;

describe('the header of a block', () => {
  for (const [chain, { hash, block }] of [
    ['QBFT', QBFT],
    ['IBFT', IBFT],
  ] as const) {
    it(`of ${chain}: is found without the seals of its validators, which its hash does not cover`, () => {
      const { rlp, transactionsRoot, receiptsRoot } = headerOf(hash, block, []);
      expect(hexOf(keccak(rlp))).to.equal(hash);
      expect(hexOf(rlp)).not.to.include(block.extraData.slice(-60));
      expect([transactionsRoot, receiptsRoot]).to.deep.equal([NOTHING, NOTHING]);
    });
  }

  // Besu's QbftExtraDataCodec writes the round as 0 and no seals; appended fields come as on other chains.
  it('of QBFT on Besu: has the round 0 and an empty list of seals, with the fields of London and Shanghai too', () => {
    const vanity = Buffer.alloc(32);
    const [validators, seals] = [[Buffer.alloc(20, 1), Buffer.alloc(20, 2)], [Buffer.alloc(65, 3)]];
    for (const [vote, appended] of [
      [[], []],
      [[Buffer.alloc(20, 4), Uint8Array.of(0xff)], ['baseFeePerGas']],
      [
        [Buffer.alloc(20, 4), new Uint8Array()],
        ['baseFeePerGas', 'withdrawalsRoot'],
      ],
    ] as const) {
      const extraDataOf = (round: number, some: readonly Buffer[]): Hex =>
        hexOf(RLP.encode([vanity, validators, [...vote], round, [...some]]));
      const more = { baseFeePerGas: '0x7', withdrawalsRoot: NOTHING };
      const members = Object.fromEntries(appended.map((name) => [name, more[name]]));
      const hashes = [QBFT.block.parentHash, NO_UNCLES, zeros(20), NOTHING, NOTHING, NOTHING, zeros(256)];
      const numbers = [1, 7, 9_000, '0x', 1_767_225_600];
      const own = [extraDataOf(0, []), BFT, zeros(8)];
      const hashed = [...hashes, ...numbers, ...own, ...Object.values(members)];
      const hash = hexOf(keccak(RLP.encode(hashed)));
      const block = {
        ...QBFT.block,
        ...members,
        stateRoot: NOTHING,
        number: '0x7',
        gasLimit: '0x2328',
        timestamp: '0x6955b900',
        extraData: extraDataOf(2, seals),
      };
      expect(hexOf(headerOf(hash, block, []).rlp)).to.equal(hexOf(RLP.encode(hashed)));
    }
  });

  it('is not guessed: other bytes, other seals than those at the end, and another algorithm are none', () => {
    const { hash, block } = QBFT;
    for (const changed of [
      { ...block, extraData: '0x' },
      { ...block, extraData: '0x1234' },
      { ...block, extraData: block.extraData.replace('81ff', '81fe') },
      { ...block, mixHash: NOTHING },
      { ...block, gasLimit: '0x47c94d' },
    ]) {
      expect(() => headerOf(hash, changed, [])).to.throw('a header of a form that is not known');
    }
  });

  it('of Clique and of a raw form: is hashed as it is', () => {
    const block = { ...QBFT.block, mixHash: zeros(32), extraData: zeros(97) };
    const { parentHash, stateRoot } = block;
    const hashes = [parentHash, NO_UNCLES, zeros(20), stateRoot, NOTHING, NOTHING, zeros(256)];
    const numbers = [1, 1, 0x47c94c, '0x', 0x5b3c3db8];
    const rlp = RLP.encode([...hashes, ...numbers, zeros(97), zeros(32), zeros(8)]);
    const hash = hexOf(keccak(rlp));
    expect(hexOf(headerOf(hash, block, []).rlp)).to.equal(hexOf(rlp));
    expect(hexOf(headerOf(hash, {}, [undefined, '0x1234', hexOf(rlp)]).rlp)).to.equal(hexOf(rlp));
  });
});
