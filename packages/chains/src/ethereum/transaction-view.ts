import { toHex } from '../shared/bytes.ts';
import type { ParseContext, ParsedTransaction, PolicyValue } from '../transaction.ts';
import { ethereumAddressOf, toChecksumAddress } from './address.ts';
import { authorityOf } from './authorization.ts';
import { callArguments, type DecodedCall, decodeCall, rawArguments } from './call-data.ts';
import { describeAmount, describeChain, describeDelegation, describeValues } from './description.ts';
import type { TransactionEnvelope } from './transaction-envelope.ts';
import type { SignedAuthorization } from './transaction-fields.ts';

type Fields = TransactionEnvelope['fields'];

/** An authorization and, if its signature recovers, the account that it delegates. */
interface Delegation extends SignedAuthorization {
  readonly authority: string | undefined;
}

/**
 * The view of an Ethereum transaction. Policy values hold lower-case addresses (see `normalizeEthereumAddress`); descriptions
 * show addresses with their EIP-55 checksum.
 */
export function viewTransaction(envelope: TransactionEnvelope, context: ParseContext): Omit<ParsedTransaction, 'type'> {
  const { fields } = envelope;
  const call =
    fields.to === undefined || fields.data.length === 0 ? undefined : decodeCall(fields.to, fields.data, context.interfaces);
  const decoded = call !== undefined && 'abi' in call ? call : undefined;
  const delegations = fields.authorizationList?.map((entry) => ({ ...entry, authority: authorityOf(entry) })) ?? [];
  const unparsed = [
    ...(fields.to === undefined ? ['The code of a new contract was not decoded.'] : []),
    ...(call !== undefined && 'reason' in call ? [call.reason] : []),
    ...(decoded === undefined ? [] : rawArguments(decoded).map(describeRawArgument)),
    ...(fields.blobVersionedHashes === undefined
      ? []
      : ['The content of blobs is not part of the transaction; only their hashes are.']),
    ...delegations.flatMap(({ authority }, index) =>
      authority === undefined
        ? [`Authorization ${index} has no valid signature, so the account that it delegates is unknown.`]
        : [],
    ),
  ];
  return {
    namespace: 'eth.tx',
    policy: policyView(envelope, ethereumAddressOf(context.signer.publicKey), decoded, delegations),
    effects: [],
    description: [describeAct(fields, decoded), ...delegations.map(describeAuthorization)].join('; '),
    fullyParsed: unparsed.length === 0,
    unparsed,
  };
}

function policyView(
  { type, fields }: TransactionEnvelope,
  from: string,
  call: DecodedCall | undefined,
  delegations: readonly Delegation[],
): { readonly [field: string]: PolicyValue } {
  return present({
    type,
    from,
    to: fields.to,
    data: toHex(fields.data),
    value: fields.value,
    gas: fields.gas,
    gas_price: fields.gasPrice ?? fields.maxFeePerGas,
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
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function describeAct({ to, value, data, chainId }: Fields, call: DecodedCall | undefined): string {
  const chain = describeChain(chainId);
  const amount = describeAmount(value, chainId);
  const paid = value === 0n ? '' : ` with ${amount}`;
  if (to === undefined) return `create a contract from ${data.length} bytes of code${paid} ${chain}`;
  const target = toChecksumAddress(to);
  if (call !== undefined) return `call ${call.abi.name}(${describeValues(callArguments(call))}) on ${target}${paid} ${chain}`;
  if (data.length > 0) {
    const coins = value === 0n ? '' : `${amount} and `;
    return `call ${target} with ${coins}${data.length} bytes of data that were not decoded ${chain}`;
  }
  return `send ${amount} to ${target} ${chain}`;
}

function describeAuthorization({ authority, address, chainId }: Delegation): string {
  return describeDelegation(authority === undefined ? 'an unknown account' : toChecksumAddress(authority), address, chainId);
}

function describeRawArgument(name: string): string {
  return `The argument ${name} holds raw bytes. What they mean to the contract was not decoded.`;
}
