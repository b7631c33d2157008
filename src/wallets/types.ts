// The types of wallets that a caller can name. The name of an export, in any letter case, is the value of Wallet-Type.
export { vault } from './vault.js';
export { web3signer } from './web3signer.js';
