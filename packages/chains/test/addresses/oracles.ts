import { createHash, createPrivateKey, createPublicKey, ECDH } from 'node:crypto';
import { pubkeyToAddress } from '@cosmjs/amino';
import { StrKey } from '@stellar/stellar-base';
import { beginCell, Cell, contractAddress } from '@ton/core';
import * as bitcoin from 'bitcoinjs-lib';
import { blake2b } from 'blakejs';
import bs58 from 'bs58';
import { keccak256 } from 'js-sha3';
import { Address, PublicKey } from 'ox';
import { deriveAddress } from 'ripple-keypairs';
import libsecp256k1 from 'secp256k1';
import type { AddressFormatId } from '../../src/addresses/address-formats.ts';
import type { Curve } from '../../src/curve.ts';
import { readCorpus } from './corpus.ts';

/** A second way from a public key (compressed, or the 32 bytes of ed25519) to its address, which shares no code with ours. */
export type Oracle = (publicKey: Uint8Array, curve: Curve) => string;

const tonCode = readCorpus<Record<string, string>>('ton-wallet-code');

bitcoin.initEccLib({
  isXOnlyPoint: (x) => libsecp256k1.publicKeyVerify(Uint8Array.of(2, ...x)),
  xOnlyPointAddTweak(x, tweak) {
    try {
      const point = libsecp256k1.publicKeyTweakAdd(Uint8Array.of(2, ...x), tweak);
      return { parity: point[0] === 3 ? 1 : 0, xOnlyPubkey: point.subarray(1) };
    } catch {
      // bitcoinjs-lib tests this function when it is given, and expects null for a sum at infinity.
      return null;
    }
  },
});

/** The fixed DER around 32 secret bytes: RFC 5915 for P-256, RFC 8410 for ed25519. */
const derForms = {
  CURVE_P256: { before: hexBytes('30310201010420'), after: hexBytes('a00a06082a8648ce3d030107'), type: 'sec1' },
  CURVE_ED25519: { before: hexBytes('302e020100300506032b657004220420'), after: hexBytes(''), type: 'pkcs8' },
} as const;

function hexBytes(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

/** The public key of 32 secret bytes by libsecp256k1 or OpenSSL; undefined when they are no key of the curve. */
export function nativePublicKey(curve: Curve, secret: Uint8Array): Uint8Array | undefined {
  if (curve === 'CURVE_SECP256K1') {
    return libsecp256k1.privateKeyVerify(secret) ? libsecp256k1.publicKeyCreate(secret, true) : undefined;
  }
  const { before, after, type } = derForms[curve];
  const key = createPrivateKey({ key: Buffer.concat([before, secret, after]), format: 'der', type });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return curve === 'CURVE_P256' ? convert(spki.subarray(-65), curve, 'compressed') : Uint8Array.from(spki.subarray(-32));
}

function convert(publicKey: Uint8Array, curve: Curve, form: 'compressed' | 'uncompressed'): Uint8Array {
  const name = curve === 'CURVE_P256' ? 'prime256v1' : 'secp256k1';
  return ECDH.convertKey(publicKey, name, undefined, undefined, form) as Buffer;
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const cosmosAddress =
  (prefix: string): Oracle =>
  (publicKey) =>
    pubkeyToAddress({ type: 'tendermint/PubKeySecp256k1', value: Buffer.from(publicKey).toString('base64') }, prefix);

function tonAddress(format: string, data: (publicKey: Uint8Array) => Cell): Oracle {
  const [code] = Cell.fromBoc(Buffer.from(tonCode[format] ?? '', 'base64'));
  if (code === undefined) throw new Error(`no code for ${format}`);
  return (publicKey) => contractAddress(0, { code, data: data(publicKey) }).toString({ bounceable: true });
}

const dogeNetworks = {
  main: { ...bitcoin.networks.bitcoin, pubKeyHash: 0x1e },
  test: { ...bitcoin.networks.testnet, pubKeyHash: 0x71 },
};

const bitcoinNetworks = {
  MAINNET: bitcoin.networks.bitcoin,
  TESTNET: bitcoin.networks.testnet,
  SIGNET: bitcoin.networks.testnet,
  REGTEST: bitcoin.networks.regtest,
};

const { p2pk, p2pkh, p2sh, p2tr, p2wpkh, p2wsh } = bitcoin.payments;

const bitcoinScripts = {
  P2PKH: (pubkey: Uint8Array, network: bitcoin.Network) => p2pkh({ pubkey, network }),
  P2SH: (pubkey: Uint8Array, network: bitcoin.Network) => p2sh({ redeem: p2wpkh({ pubkey, network }), network }),
  P2WPKH: (pubkey: Uint8Array, network: bitcoin.Network) => p2wpkh({ pubkey, network }),
  P2WSH: (pubkey: Uint8Array, network: bitcoin.Network) => p2wsh({ redeem: p2pk({ pubkey, network }), network }),
  P2TR: (pubkey: Uint8Array, network: bitcoin.Network) => p2tr({ internalPubkey: pubkey.subarray(1), network }),
};

function bitcoinOracles(): [string, Oracle][] {
  return Object.entries(bitcoinNetworks).flatMap(([network, parameters]) =>
    Object.entries(bitcoinScripts).map(([script, pay]): [string, Oracle] => [
      `ADDRESS_FORMAT_BITCOIN_${network}_${script}`,
      (publicKey) => pay(publicKey, parameters).address ?? '',
    ]),
  );
}

/** One oracle for every format. Tron, Solana, Sui and Aptos are composed here of hash and Base58 implementations that ours does not use. */
export const oracles = {
  ADDRESS_FORMAT_UNCOMPRESSED: (publicKey, curve) => toHex(convert(publicKey, curve, 'uncompressed')),
  ADDRESS_FORMAT_COMPRESSED: (publicKey, curve) =>
    toHex(curve === 'CURVE_ED25519' ? publicKey : convert(convert(publicKey, curve, 'uncompressed'), curve, 'compressed')),
  ADDRESS_FORMAT_ETHEREUM: (publicKey, curve) =>
    Address.fromPublicKey(PublicKey.fromHex(`0x${toHex(convert(publicKey, curve, 'uncompressed'))}`), { checksum: true }),
  ADDRESS_FORMAT_SOLANA: (publicKey) => bs58.encode(publicKey),
  ADDRESS_FORMAT_COSMOS: cosmosAddress('cosmos'),
  ADDRESS_FORMAT_SEI: cosmosAddress('sei'),
  ADDRESS_FORMAT_TRON: (publicKey, curve) =>
    bitcoin.address.toBase58Check(
      Uint8Array.from(keccak256.array(convert(publicKey, curve, 'uncompressed').subarray(1)).slice(12)),
      0x41,
    ),
  ADDRESS_FORMAT_SUI: (publicKey) => `0x${toHex(blake2b(Uint8Array.of(0, ...publicKey), undefined, 32))}`,
  ADDRESS_FORMAT_APTOS: (publicKey) => `0x${createHash('sha3-256').update(publicKey).update(Uint8Array.of(0)).digest('hex')}`,
  ADDRESS_FORMAT_XLM: (publicKey) => StrKey.encodeEd25519PublicKey(Buffer.from(publicKey)),
  ADDRESS_FORMAT_XRP: (publicKey) => deriveAddress(toHex(publicKey)),
  ADDRESS_FORMAT_DOGE_MAINNET: (pubkey) => p2pkh({ pubkey, network: dogeNetworks.main }).address ?? '',
  ADDRESS_FORMAT_DOGE_TESTNET: (pubkey) => p2pkh({ pubkey, network: dogeNetworks.test }).address ?? '',
  ADDRESS_FORMAT_TON_V3R2: tonAddress('ADDRESS_FORMAT_TON_V3R2', (publicKey) =>
    beginCell().storeUint(0, 32).storeUint(698_983_191, 32).storeBuffer(Buffer.from(publicKey)).endCell(),
  ),
  ADDRESS_FORMAT_TON_V4R2: tonAddress('ADDRESS_FORMAT_TON_V4R2', (publicKey) =>
    beginCell().storeUint(0, 32).storeUint(698_983_191, 32).storeBuffer(Buffer.from(publicKey)).storeBit(0).endCell(),
  ),
  ADDRESS_FORMAT_TON_V5R1: tonAddress('ADDRESS_FORMAT_TON_V5R1', (publicKey) =>
    beginCell()
      .storeBit(1)
      .storeUint(0, 32)
      // Global id -239 of the main network XOR the client context: one set bit, workchain 0, version 0, subwallet 0.
      .storeInt(-239 ^ (1 << 31), 32)
      .storeBuffer(Buffer.from(publicKey))
      .storeBit(0)
      .endCell(),
  ),
  ...(Object.fromEntries(bitcoinOracles()) as Record<Extract<AddressFormatId, `ADDRESS_FORMAT_BITCOIN_${string}`>, Oracle>),
} satisfies Record<AddressFormatId, Oracle>;
