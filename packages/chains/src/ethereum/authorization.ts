import type { ExactJsonObject } from '@countersign/strict-json';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { ethereumAddressOf, toChecksumAddress } from '../addresses/ethereum.ts';
import { sentenceOf } from '../effects/sentence.ts';
import { concat, toHex } from '../shared/bytes.ts';
import { readJsonText } from '../shared/json-text.ts';
import { invalidTypedData } from '../shared/refusal.ts';
import type { ParseContext } from '../transaction.ts';
import { Findings } from './calls/findings.ts';
import type { EthereumMessage } from './ethereum-message.ts';
import { maxUint, toBigEndian } from './integer.ts';
import { parseJsonAddress, parseJsonInteger } from './json-value.ts';
import { onNetwork } from './networks.ts';
import { encodeRlp } from './rlp.ts';
import type { SignedAuthorization } from './transaction-fields.ts';

/** An EIP-7702 authorization before it is signed. The address is lower-case `0x` hex. */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: string;
  readonly nonce: bigint;
}

/** An authorization and, if its signature recovers, the account that it delegates. */
export interface Delegation extends Authorization {
  readonly authority: string | undefined;
}

/** EIP-7702: a delegation to it means none. */
export const nobody = `0x${'0'.repeat(40)}`;
const fieldNames = ['address', 'chainId', 'nonce'];
const maxLength = 1_024;

/**
 * Reads the JSON form `{"address", "chainId", "nonce"}` of an EIP-7702 authorization.
 * Throws ChainError INVALID_TYPED_DATA unless it has exactly these fields and each fits.
 */
export function parseAuthorization(jsonText: string, context: ParseContext): EthereumMessage {
  const fields = readJsonText(jsonText, maxLength, invalidTypedData);
  if (!(fields instanceof Map)) throw invalidTypedData('an authorization is a JSON object with address, chainId and nonce');
  const unknown = Array.from(fields.keys()).find((name) => !fieldNames.includes(name));
  if (unknown !== undefined) throw invalidTypedData(`an authorization has no field ${JSON.stringify(unknown)}`);
  const authorization = {
    chainId: readInteger(fields, 'chainId', maxUint(256)),
    address: parseJsonAddress(fields.get('address'), 'address'),
    // EIP-7702: the nonce must be below 2^64 - 1.
    nonce: readInteger(fields, 'nonce', maxUint(64) - 1n),
  };
  const { chainId, address, nonce } = authorization;
  const self = ethereumAddressOf(context.signer.publicKey);
  const found = new Findings();
  reportDelegation({ ...authorization, authority: self }, 0, found);
  const where = chainId === 0n ? {} : { where: onNetwork(chainId) };
  return {
    namespace: 'eth.eip_7702_authorization',
    policy: { address, chain_id: chainId, nonce },
    effects: found.effects,
    description: sentenceOf(found.effects, { ...context.names, ...where, self, address: toChecksumAddress }),
    fullyParsed: true,
    unparsed: [],
    digest: authorizationDigest(authorization),
  };
}

/** EIP-7702: keccak256(0x05 || rlp([chain_id, address, nonce])). */
export function authorizationDigest({ chainId, address, nonce }: Authorization): Uint8Array {
  const items = [toBigEndian(chainId), hexToBytes(address.slice(2)), toBigEndian(nonce)];
  return keccak_256(concat([Uint8Array.of(0x05), encodeRlp(items)]));
}

/** Reports what a delegation does to the account that signed it. */
export function reportDelegation({ authority, address, chainId }: Delegation, index: number, found: Findings): void {
  if (authority === undefined) {
    found.add({ kind: 'UNKNOWN', what: 'delegation of an unknown account to the code', to: address, bytes: 65 });
    found.doubt(`Authorization ${index} has no valid signature, so the account that it delegates is unknown.`);
    return;
  }
  // EIP-7702: the zero address removes the delegation; chain id 0 is valid on every chain.
  found.add(
    address === nobody
      ? { kind: 'AUTHORITY', what: 'it obeys no code any more', from: authority }
      : { kind: 'AUTHORITY', what: 'it obeys from now on, without limit, the code at', from: authority, to: address },
  );
  if (chainId === 0n) found.add({ kind: 'REPLAYABLE', what: 'the delegation is good on every chain' });
}

/** The lower-case address of the account that signed. Undefined where EIP-7702 tells the network to skip the authorization. */
export function authorityOf(
  authorization: SignedAuthorization,
  recover: NonNullable<ParseContext['recoverPublicKey']> = recoverPortably,
): string | undefined {
  const { r, s, yParity } = authorization;
  // EIP-7702 requires a low s and a parity of 0 or 1. Libraries also take 2 and 3.
  if (r === 0n || s === 0n || r >= order || s > order / 2n || yParity > 1n) return undefined;
  const publicKey = recover(authorizationDigest(authorization), r, s, yParity === 1n ? 1 : 0);
  return publicKey === undefined ? undefined : toHex(keccak_256(publicKey.subarray(1)).subarray(12));
}

const order = secp256k1.Point.CURVE().n;

function recoverPortably(digest: Uint8Array, r: bigint, s: bigint, yParity: 0 | 1): Uint8Array | undefined {
  try {
    return new secp256k1.Signature(r, s, yParity).recoverPublicKey(digest).toBytes(false);
  } catch {
    // No point has this r, so the signature is invalid.
    return undefined;
  }
}

function readInteger(fields: ExactJsonObject, name: string, max: bigint): bigint {
  const value = parseJsonInteger(fields.get(name));
  if (value === undefined || value < 0n || value > max) throw invalidTypedData(`${name} must be an integer from 0 to ${max}`);
  return value;
}
