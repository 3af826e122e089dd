import { keccak_256 } from '@noble/hashes/sha3.js';
import { concat } from '../shared/bytes.ts';
import { readJsonText } from '../shared/json-text.ts';
import { invalidTypedData } from '../shared/refusal.ts';
import type { PolicyValue } from '../transaction.ts';
import { toChecksumAddress } from './address.ts';
import { describeValues, quote } from './description.ts';
import type { EthereumMessage } from './ethereum-message.ts';
import { parseStructTypes } from './typed-data-types.ts';
import { structHasher } from './typed-data-value.ts';

const maxLength = 131_072;
const topLevel = ['types', 'primaryType', 'domain', 'message'];
/** The names by which policies know the domain's fields. */
const domainFields = {
  name: 'name',
  version: 'version',
  chainId: 'chain_id',
  verifyingContract: 'verifying_contract',
  salt: 'salt',
};

/**
 * Reads EIP-712 typed data from its JSON text, at most 131,072 characters.
 * Throws ChainError INVALID_TYPED_DATA unless the digest covers everything in it: no extra field, no missing field, every value
 * in the range of its type.
 */
export function parseTypedData(jsonText: string): EthereumMessage {
  const data = readJsonText(jsonText, maxLength, invalidTypedData);
  if (!(data instanceof Map)) throw invalidTypedData('typed data must be a JSON object');
  const unknown = Array.from(data.keys()).find((key) => !topLevel.includes(key));
  if (unknown !== undefined) throw invalidTypedData(`typed data has no field ${JSON.stringify(unknown.slice(0, 80))}`);
  const primaryType = data.get('primaryType');
  const domainValue = data.get('domain');
  if (!(domainValue instanceof Map)) throw invalidTypedData('domain must be an object');
  const types = parseStructTypes(data.get('types'), domainValue);
  if (typeof primaryType !== 'string' || !types.has(primaryType)) {
    throw invalidTypedData('primaryType must name one of the types');
  }
  // Otherwise the signature would not cover the message at all.
  if (primaryType === 'EIP712Domain') throw invalidTypedData('primaryType must be the type of the message, not of the domain');

  const hasher = structHasher(types);
  const domain = hasher.hashStruct('EIP712Domain', domainValue, 'domain');
  const message = hasher.hashStruct(primaryType, data.get('message'), 'message');
  return {
    namespace: 'eth.eip_712',
    policy: { primary_type: primaryType, domain: domainView(domain.view), message: message.view },
    effects: [],
    description: `sign ${primaryType}(${describeValues(message.view)})${describeDomain(domain.view)}`,
    digest: keccak_256(concat([Uint8Array.of(0x19, 0x01), domain.hash, message.hash])),
  };
}

function domainView(domain: ReadonlyMap<string, PolicyValue>): { readonly [field: string]: PolicyValue } {
  return Object.fromEntries(
    Object.entries(domainFields).flatMap(([name, field]) => {
      const value = domain.get(name);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function describeDomain(domain: ReadonlyMap<string, PolicyValue>): string {
  const name = domain.get('name');
  const contract = domain.get('verifyingContract');
  const chainId = domain.get('chainId');
  return [
    typeof name === 'string' ? ` for ${quote(name)}` : '',
    typeof contract === 'string' ? ` at ${toChecksumAddress(contract)}` : '',
    chainId === undefined ? ' on any chain' : ` on chain ${chainId}`,
  ].join('');
}
