import { readFileSync } from 'node:fs';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import {
  addressBytes,
  ChainError,
  defaultTokens,
  encodeAddress,
  parseAuthorization,
  parseTypedData,
  transactionTypes,
  withChainId,
} from '../../src/index.ts';
import { hostileSignatures } from './hostile-signatures.ts';
import type { HostileSignature } from './placeholders.ts';

const folder = new URL('../../../../conformance/policies/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

const secp256k1 = {
  curve: 'CURVE_SECP256K1',
  publicKey: hexToBytes('024bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382'),
} as const;
const ed25519 = {
  curve: 'CURVE_ED25519',
  publicKey: hexToBytes('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'),
} as const;
const signers = {
  ethereum: { ...secp256k1, addressFormat: 'ADDRESS_FORMAT_ETHEREUM' },
  solana: { ...ed25519, addressFormat: 'ADDRESS_FORMAT_SOLANA' },
  tron: { ...secp256k1, addressFormat: 'ADDRESS_FORMAT_TRON' },
  bitcoin: { ...secp256k1, addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR' },
} as const;

/** The parameters of a request with a signer, a receiver and a token filled in. */
function fillIn({ chain, parameters }: HostileSignature) {
  const signer = signers[chain === 'any' ? 'ethereum' : chain];
  const self = addressBytes(chain, encodeAddress(signer.addressFormat, signer.curve, signer.publicKey)) as string;
  const values: Record<string, string> = {
    self,
    to: '77'.repeat(chain === 'solana' ? 32 : 20),
    token: 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  };
  const text = JSON.stringify(parameters).replace(/<([a-z]+)>/g, (whole, name) => values[name] ?? whole);
  return { signer, parameters: JSON.parse(text) };
}

/** The effects that the service reads. Undefined for a payload that it does not read. */
function effectsOf(request: HostileSignature) {
  const { signer, parameters } = fillIn(request);
  const context = { signer, interfaces: [], tokens: defaultTokens };
  const { unsignedTransaction, type, encoding, payload } = parameters;
  if (unsignedTransaction !== undefined)
    return transactionTypes[type as keyof typeof transactionTypes].parse(unsignedTransaction, context).effects;
  if (encoding === 'PAYLOAD_ENCODING_EIP712') return parseTypedData(payload, context).effects;
  return encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION' ? parseAuthorization(payload, context).effects : undefined;
}

describe('hostile requests for signatures', () => {
  test('the file contains what the libraries write', () => {
    expect(read('hostile-signatures.json').requests).toEqual(JSON.parse(JSON.stringify(hostileSignatures)));
  });

  test('every harm has a request, every request a harm, and no id occurs twice', () => {
    const requests = [...hostileSignatures, ...read('hostile-administration.json').requests];
    const harms = read('harms.json').harms.map(({ id }: { id: string }) => id);
    expect([...new Set(requests.map(({ harm }) => harm))].sort()).toEqual([...harms].sort());
    expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  });

  test.each(hostileSignatures.filter(({ refused }) => refused !== true))('$id can be read', (request) => {
    const effects = effectsOf(request);
    if (request.harm === 'raw') expect(effects).toBeUndefined();
    else expect(effects?.length).toBeGreaterThan(0);
  });

  test.each(hostileSignatures.filter(({ refused }) => refused === true))('$id is refused', (request) => {
    expect(() => effectsOf(request)).toThrow(ChainError);
  });

  test('an unlimited allowance is one, on every chain', () => {
    for (const request of hostileSignatures.filter(({ harm }) => harm === 'allowance' || harm === 'permit'))
      expect(effectsOf(request), request.id).toContainEqual(expect.objectContaining({ kind: 'ALLOWANCE', unlimited: true }));
  });

  test('a transaction for another chain has only another chain id', () => {
    const request = hostileSignatures.find(({ id }) => id === 'ethereum/coin-huge') as HostileSignature;
    const { signer, parameters } = fillIn(request);
    const moved = withChainId(parameters.unsignedTransaction, 11_155_111n);
    const { policy } = transactionTypes.TRANSACTION_TYPE_ETHEREUM.parse(moved, { signer, interfaces: [] });
    expect(policy.chain_id).toBe(11_155_111n);
    expect(withChainId(moved, 1n)).toBe(parameters.unsignedTransaction);
  });
});
