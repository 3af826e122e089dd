import { finished, type Steps } from '@countersign/collections';
import type { PolicyValue } from '@countersign/policy';
import { ethereumAddressOf, toChecksumAddress } from '../addresses/ethereum.ts';
import { sentenceOf } from '../effects/sentence.ts';
import { concat } from '../shared/bytes.ts';
import { readJsonText } from '../shared/json-text.ts';
import { invalidTypedData } from '../shared/refusal.ts';
import type { ParseContext } from '../transaction.ts';
import { Findings } from './calls/findings.ts';
import { CallReader } from './calls/read-call.ts';
import { CountedHashing } from './counted-hashing.ts';
import type { EthereumMessage } from './ethereum-message.ts';
import { MessageFields } from './messages/message.ts';
import { readMessage } from './messages/read-message.ts';
import { onNetwork } from './networks.ts';
import { encodeType, parseStructTypes } from './typed-data-types.ts';
import { structHasher } from './typed-data-value.ts';

const maxLength = 131_072;
const nobody = `0x${'0'.repeat(40)}`;
const topLevel = ['types', 'primaryType', 'domain', 'message'];
/** The names by which policies know the domain's fields. */
const domainFields = {
  name: 'name',
  version: 'version',
  chainId: 'chain_id',
  verifyingContract: 'verifying_contract',
  salt: 'salt',
};

/** Reads typed data as `typedDataInSteps` does, without a pause. */
export function parseTypedData(jsonText: string, context: ParseContext): EthereumMessage {
  return finished(typedDataInSteps(jsonText, context));
}

/**
 * Reads EIP-712 typed data from its JSON text, at most 131,072 characters.
 * Throws ChainError INVALID_TYPED_DATA unless the digest covers everything in it: no extra field, no missing field, every value
 * in the range of its type.
 */
export function* typedDataInSteps(jsonText: string, context: ParseContext): Steps<EthereumMessage> {
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

  const hashing = new CountedHashing(context.bounds?.typedDataWork, context.keccak256);
  const hasher = structHasher(types, hashing);
  const domain = yield* hasher.hashStruct('EIP712Domain', domainValue, 'domain');
  const message = yield* hasher.hashStruct(primaryType, data.get('message'), 'message');
  const signer = ethereumAddressOf(context.signer.publicKey);
  const chainId = domain.view.get('chainId');
  const contract = domain.view.get('verifyingContract');
  const found = new Findings();
  const scope = new CallReader(typeof chainId === 'bigint' ? chainId : undefined, context, found);
  readMessage(
    {
      type: encodeType(types, primaryType),
      primaryType,
      domain: domain.view,
      contract: typeof contract === 'string' ? contract : nobody,
      fields: new MessageFields(message.view),
      signer,
    },
    context,
    scope,
  );
  const where = typeof chainId === 'bigint' ? { where: onNetwork(chainId) } : {};
  const { effects, unparsed } = found;
  return {
    namespace: 'eth.eip_712',
    policy: { primary_type: primaryType, domain: domainView(domain.view), message: message.view },
    effects,
    description: sentenceOf(effects, { ...context.names, ...where, self: signer, address: toChecksumAddress }),
    fullyParsed: unparsed.length === 0,
    unparsed,
    digest: hashing.hash(concat([Uint8Array.of(0x19, 0x01), domain.hash, message.hash])),
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
