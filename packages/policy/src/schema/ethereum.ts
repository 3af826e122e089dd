import { t } from '../types.ts';

const address = t.address('ethereum');

const accessListEntry = t.struct('AccessListEntry', {
  address: { type: address, doc: 'The contract whose storage is announced' },
  storage_keys: { type: t.list(t.hex), doc: 'The announced storage slots, 0x and 64 hex digits each' },
});

const authorizationEntry = t.struct('AuthorizationListEntry', {
  address: { type: address, doc: 'The code that the account would delegate to' },
  chain_id: { type: t.int, doc: 'The chain, or 0 for every chain' },
  nonce: { type: t.int, doc: 'The nonce of the authority' },
  authority: { type: address, doc: 'The account that delegates, when the signature of the entry is valid' },
});

/** `eth.tx`: an Ethereum transaction of any type. */
export const ethereumTransaction = t.struct('EthereumTransaction', {
  type: {
    type: t.word('eth.tx.type', ['LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4']),
    doc: 'LEGACY, TYPE_1 (EIP-2930), TYPE_2 (EIP-1559), TYPE_3 (EIP-4844) or TYPE_4 (EIP-7702)',
  },
  from: { type: address, doc: 'The address that signs' },
  to: {
    type: t.address('ethereum', ['']),
    doc: "The receiver or contract. Empty when the transaction creates a contract: an ALLOW that names `eth.tx.to` allows that only if it compares it with `''` or names `is_deployment`",
  },
  is_deployment: { type: t.bool, doc: 'Whether the transaction creates a contract' },
  data: { type: t.hex, doc: 'The call data, 0x and hex' },
  value: { type: t.int, doc: 'The amount in wei' },
  gas: { type: t.int, doc: 'The gas limit' },
  gas_price: { type: t.int, doc: 'The price of gas; for EIP-1559 and later the same as max_fee_per_gas' },
  max_fee: {
    type: t.int,
    doc: 'The most that the fee can be, in wei: all gas at the highest price, and blobs at theirs. Rollups of the OP Stack add a fee for data that no transaction limits',
  },
  max_cost: { type: t.int, doc: 'The most that leaves the account in wei: `value` and `max_fee` together' },
  chain_id: { type: t.int, doc: 'The chain. Missing in a legacy transaction without replay protection' },
  nonce: { type: t.int, doc: 'The nonce' },
  max_fee_per_gas: { type: t.int, doc: 'EIP-1559: the most to pay for one unit of gas' },
  max_priority_fee_per_gas: { type: t.int, doc: 'EIP-1559: the most to tip for one unit of gas' },
  max_fee_per_blob_gas: { type: t.int, doc: 'EIP-4844: the most to pay for one unit of blob gas' },
  access_list: { type: t.list(accessListEntry), doc: 'EIP-2930: the announced storage. Missing in a legacy transaction' },
  authorization_list: {
    type: t.list(authorizationEntry),
    doc: 'EIP-7702: the delegations that the transaction sets. Only in TYPE_4',
  },
  blob_versioned_hashes: { type: t.list(t.hex), doc: 'EIP-4844: the hashes of the blobs. Only in TYPE_3' },
  function_name: { type: t.string, doc: 'The called function, when an interface is stored for `to`' },
  function_signature: { type: t.hex, doc: 'Its selector, 0x and 8 hex digits, when an interface is stored for `to`' },
  contract_call_args: { type: t.map(t.dynamic), doc: 'Its arguments by name, when an interface is stored for `to`' },
});

/** A domain has only the fields that its type names. */
const domain = t.struct('Eip712Domain', {
  name: { type: t.string, doc: 'The name of the signing domain' },
  version: { type: t.string, doc: 'The version of the signing domain' },
  chain_id: { type: t.int, doc: 'The chain' },
  verifying_contract: { type: address, doc: 'The contract that will check the signature' },
  salt: { type: t.hex, doc: 'What tells the domain from others, 0x and 64 hex digits' },
});

/** `eth.eip_712`: typed data. */
export const eip712 = t.struct('Eip712TypedData', {
  primary_type: { type: t.string, doc: 'The type of the message' },
  domain: { type: domain, doc: 'The domain of the message' },
  message: { type: t.map(t.dynamic), doc: "The message; members by ['name'], arrays by position" },
});

/** `eth.eip_7702_authorization`: a delegation that is signed on its own. */
export const eip7702Authorization = t.struct('Eip7702Authorization', {
  address: { type: address, doc: 'The code that the account would delegate to' },
  chain_id: { type: t.int, doc: 'The chain, or 0 for every chain' },
  nonce: { type: t.int, doc: 'The nonce of the authority' },
});
