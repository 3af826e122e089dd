import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ethereumTransaction } from '../../../packages/chains/dist/index.js';

/** One file of the vectors that ethers is tested with, as the registry has them. */
export function ethersVectors(name) {
  const file = new URL(`../node_modules/@ethersproject/testcases/testcases/${name}.json.gz`, import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'));
}

/** Vectors of this repository. */
export function ownVectors(path) {
  return JSON.parse(readFileSync(new URL(`../../../conformance/${path}`, import.meta.url), 'utf8'));
}

export const bytes = (hex) => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
export const hex = (value) => Buffer.from(value).toString('hex');

/** Parses, signs and assembles an Ethereum transaction as the service does, with the signature of another library. */
export function signEthereum(secret, unsigned) {
  const signer = { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(secret, true) };
  const parsed = ethereumTransaction.parse(unsigned.slice(2), { signer, interfaces: [] });
  const signatures = ethereumTransaction.signingRequests(parsed, signer).map(({ digest }) => {
    const signature = secp256k1.sign(digest, secret);
    return { bytes: signature.toCompactRawBytes(), recovery: signature.recovery };
  });
  return `0x${ethereumTransaction.assemble(parsed, signer, signatures)}`;
}
