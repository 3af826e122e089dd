import type { PolicyValue } from '@countersign/policy';
import { ethereumAddressOf, toChecksumAddress } from '../addresses/ethereum.ts';
import { sentenceOf } from '../effects/sentence.ts';
import { toHex } from '../shared/bytes.ts';
import type { ParseContext, ParsedTransaction } from '../transaction.ts';
import { authorityOf, type Delegation } from './authorization.ts';
import { callArguments, type DecodedCall, decodeCall, rawArguments } from './call-data.ts';
import { onNetwork } from './networks.ts';
import { feeBesides, greatestFee, transactionEffects } from './transaction-effects.ts';
import type { TransactionEnvelope } from './transaction-envelope.ts';
import { isUnsigned } from './undelegation.ts';

/**
 * The view of an Ethereum transaction. Policy values hold lower-case addresses (see `normalizeEthereumAddress`); descriptions
 * show addresses with their EIP-55 checksum.
 */
export function viewTransaction(envelope: TransactionEnvelope, context: ParseContext): Omit<ParsedTransaction, 'type'> {
  const { fields } = envelope;
  const from = ethereumAddressOf(context.signer.publicKey);
  const call =
    fields.to === undefined || fields.data.length === 0 ? undefined : decodeCall(fields.to, fields.data, context.interfaces);
  const decoded = call !== undefined && 'abi' in call ? call : undefined;
  const delegations = (fields.authorizationList ?? []).map((entry) => ({
    ...entry,
    authority: context.signsAuthorizations === true && isUnsigned(entry) ? from : authorityOf(entry, context.recoverPublicKey),
  }));
  const { effects, unparsed } = transactionEffects(envelope, from, call, delegations, context);
  const besides = feeBesides(fields.chainId);
  return {
    namespace: 'eth.tx',
    // SECURITY: only the organization's own interfaces fill the fields of the call. See docs/decisions/0015.
    policy: policyView(envelope, from, decoded, delegations),
    effects,
    signer: from,
    description: sentenceOf(effects, {
      ...context.names,
      self: from,
      ...(fields.chainId !== undefined && { where: onNetwork(fields.chainId) }),
      ...(besides !== undefined && { besides }),
      address: toChecksumAddress,
    }),
    fullyParsed: unparsed.length === 0,
    unparsed,
    fullyParsedByInterfaces: isParsedByInterfaces(envelope, call, delegations),
  };
}

/** What policies see as the receiver of a transaction that creates a contract. No address is empty. */
const NO_RECEIVER = '';

/** Whether the fields that policies of language 1 see cover the whole transaction. */
function isParsedByInterfaces(
  { fields }: TransactionEnvelope,
  call: ReturnType<typeof decodeCall> | undefined,
  delegations: readonly Delegation[],
): boolean {
  const decoded = call === undefined || ('abi' in call && rawArguments(call).length === 0);
  const signed = delegations.every(({ authority }) => authority !== undefined);
  return fields.to !== undefined && decoded && signed && fields.blobVersionedHashes === undefined;
}

function policyView(
  { type, fields }: TransactionEnvelope,
  from: string,
  call: DecodedCall | undefined,
  delegations: readonly Delegation[],
): { readonly [field: string]: PolicyValue } {
  const maxFee = greatestFee(fields);
  return present({
    type,
    from,
    to: fields.to ?? NO_RECEIVER,
    is_deployment: fields.to === undefined,
    data: toHex(fields.data),
    value: fields.value,
    gas: fields.gas,
    gas_price: fields.gasPrice ?? fields.maxFeePerGas,
    max_fee: maxFee,
    max_cost: fields.value + maxFee,
    chain_id: fields.chainId,
    nonce: fields.nonce,
    max_fee_per_gas: fields.maxFeePerGas,
    max_priority_fee_per_gas: fields.maxPriorityFeePerGas,
    max_fee_per_blob_gas: fields.maxFeePerBlobGas,
    access_list: fields.accessList?.map(({ address, storageKeys }) => ({ address, storage_keys: storageKeys })),
    blob_versioned_hashes: fields.blobVersionedHashes,
    authorization_list:
      fields.authorizationList &&
      delegations.map(({ chainId, address, nonce, authority }) => present({ chain_id: chainId, address, nonce, authority })),
    function_name: call?.abi.name,
    function_signature: call?.abi.selector,
    contract_call_args: call && callArguments(call),
  });
}

/** Drops undefined fields. Policies must see an absent field as absent, never as empty. */
function present(fields: { readonly [field: string]: PolicyValue | undefined }): { readonly [field: string]: PolicyValue } {
  const kept: Record<string, PolicyValue> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
