import type { ExactJsonObject } from '@countersign/strict-json';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { concat } from '../shared/bytes.ts';
import { readJsonText } from '../shared/json-text.ts';
import { invalidTypedData } from '../shared/refusal.ts';
import { ethereumAddressOf } from './address.ts';
import { describeDelegation } from './description.ts';
import type { EthereumMessage } from './ethereum-message.ts';
import { maxUint, toBigEndian } from './integer.ts';
import { parseJsonAddress, parseJsonInteger } from './json-value.ts';
import { encodeRlp } from './rlp.ts';
import type { SignedAuthorization } from './transaction-fields.ts';

/** An EIP-7702 authorization before it is signed. The address is lower-case `0x` hex. */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: string;
  readonly nonce: bigint;
}

const fieldNames = ['address', 'chainId', 'nonce'];
const maxLength = 1_024;

/**
 * Reads the JSON form `{"address", "chainId", "nonce"}` of an EIP-7702 authorization.
 * Throws ChainError INVALID_TYPED_DATA unless it has exactly these fields and each fits.
 */
export function parseAuthorization(jsonText: string): EthereumMessage {
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
  return {
    namespace: 'eth.eip_7702_authorization',
    policy: { address, chain_id: chainId, nonce },
    effects: [],
    description: describeDelegation('the signing account', address, chainId),
    digest: authorizationDigest(authorization),
  };
}

/** EIP-7702: keccak256(0x05 || rlp([chain_id, address, nonce])). */
export function authorizationDigest({ chainId, address, nonce }: Authorization): Uint8Array {
  const items = [toBigEndian(chainId), hexToBytes(address.slice(2)), toBigEndian(nonce)];
  return keccak_256(concat([Uint8Array.of(0x05), encodeRlp(items)]));
}

/** The lower-case address of the account that signed. Undefined where EIP-7702 tells the network to skip the authorization. */
export function authorityOf(authorization: SignedAuthorization): string | undefined {
  const { r, s, yParity } = authorization;
  try {
    const signature = new secp256k1.Signature(r, s, Number(yParity));
    // EIP-7702 requires a low s and a parity of 0 or 1. The library also takes 2 and 3.
    if (signature.hasHighS() || yParity > 1n) return undefined;
    return ethereumAddressOf(signature.recoverPublicKey(authorizationDigest(authorization)).toBytes());
  } catch {
    // r or s is out of range, or no point has this r: nobody made this signature.
    return undefined;
  }
}

function readInteger(fields: ExactJsonObject, name: string, max: bigint): bigint {
  const value = parseJsonInteger(fields.get(name));
  if (value === undefined || value < 0n || value > max) throw invalidTypedData(`${name} must be an integer from 0 to ${max}`);
  return value;
}
