import { t } from '../types.ts';
import { type ChainSchema, messageNamespace, transactionNamespace } from './chain.ts';

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
const transaction = t.struct('EthereumTransaction', {
  type: {
    type: t.word('eth.tx.type', ['LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4']),
    doc: 'LEGACY, TYPE_1 (EIP-2930), TYPE_2 (EIP-1559), TYPE_3 (EIP-4844) or TYPE_4 (EIP-7702)',
  },
  from: { type: address, doc: 'The address that signs' },
  to: {
    type: t.address('ethereum', ['']),
    doc: "The receiver or contract. Empty when the transaction creates a contract: an ALLOW that refers to `eth.tx.to` allows that only if it demands `eth.tx.to == ''` or `eth.tx.is_deployment`",
  },
  is_deployment: { type: t.bool, doc: 'Whether the transaction creates a contract' },
  data: { type: t.hex, doc: 'The call data, 0x and hex' },
  value: { type: t.int, doc: 'The amount in wei' },
  gas: { type: t.int, doc: 'The gas limit' },
  gas_price: { type: t.int, doc: 'The price of gas; for EIP-1559 and later the same as max_fee_per_gas' },
  max_fee: {
    type: t.int,
    doc: 'The maximum fee in wei: all gas at the highest price, and blobs at theirs. Rollups of the OP Stack add a data fee that no transaction limits',
  },
  max_cost: { type: t.int, doc: 'The maximum that leaves the account in wei: `value` and `max_fee` together' },
  chain_id: { type: t.int, doc: 'The chain. Missing in a legacy transaction without replay protection' },
  nonce: { type: t.int, doc: 'The nonce' },
  max_fee_per_gas: { type: t.int, doc: 'EIP-1559: the maximum price of one unit of gas' },
  max_priority_fee_per_gas: { type: t.int, doc: 'EIP-1559: the maximum tip for one unit of gas' },
  max_fee_per_blob_gas: { type: t.int, doc: 'EIP-4844: the maximum price of one unit of blob gas' },
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

/** A domain has only the fields of its type. */
const domain = t.struct('Eip712Domain', {
  name: { type: t.string, doc: 'The name of the signing domain' },
  version: { type: t.string, doc: 'The version of the signing domain' },
  chain_id: { type: t.int, doc: 'The chain' },
  verifying_contract: { type: address, doc: 'The contract that will verify the signature' },
  salt: { type: t.hex, doc: 'The salt of the domain, 0x and 64 hex digits' },
});

/** `eth.eip_712`: typed data. */
const eip712 = t.struct('Eip712TypedData', {
  primary_type: { type: t.string, doc: 'The type of the message' },
  domain: { type: domain, doc: 'The domain of the message' },
  message: { type: t.map(t.dynamic), doc: "The message; members by ['name'], arrays by position" },
});

/** `eth.eip_7702_authorization`: a delegation that is signed separately. */
const eip7702Authorization = t.struct('Eip7702Authorization', {
  address: { type: address, doc: 'The code that the account would delegate to' },
  chain_id: { type: t.int, doc: 'The chain, or 0 for every chain' },
  nonce: { type: t.int, doc: 'The nonce of the authority' },
});

export const ethereum: ChainSchema = {
  namespaces: [
    transactionNamespace(
      'eth.tx',
      transaction,
      {
        doc: 'The Ethereum transaction to sign',
        example: 'eth.tx.chain_id == 1 && eth.tx.value <= 1.5 ETH',
        unsigned: true,
      },
      ['ETH_SEND_TRANSACTION', 'ETH_REPLACE_TRANSACTION', 'ETH_UNDELEGATE_7702'],
    ),
    messageNamespace('eth.eip_712', eip712, {
      doc: 'The typed data to sign',
      example: "eth.eip_712.primary_type == 'Permit' && eth.eip_712.domain.chain_id == 1",
    }),
    messageNamespace('eth.eip_7702_authorization', eip7702Authorization, {
      doc: 'The delegation to sign',
      example: 'eth.eip_7702_authorization.chain_id == 1',
    }),
  ],
  units: [
    { name: 'ETH', decimals: 18, doc: 'Ether', example: 'eth.tx.value <= 1.5 ETH' },
    { name: 'gwei', decimals: 9, doc: 'A billion wei', example: 'eth.tx.max_fee_per_gas <= 40 gwei' },
    { name: 'wei', decimals: 0, doc: 'The base unit of Ethereum', example: 'eth.tx.value > 0 wei' },
  ],
  networkIds: { paths: ['eth.tx.chain_id', 'eth.eip_712.domain.chain_id'], toNetwork: (id) => `eip155:${id}` },
  hexFields: {
    prefixed: ['EthereumTransaction.data', 'EthereumTransaction.function_signature', 'Eip712Domain.salt'],
    bare: [],
  },
  tokenFields: ['EthereumTransaction.to', 'Eip712Domain.verifying_contract'],
  address: {
    shape: /^0[xX][0-9a-fA-F]{40}$/,
    help: (text) =>
      /^(?:0[xX])?[0-9a-fA-F]{40}$/.test(text)
        ? 'its checksum is wrong: copy the address again, or write it in lower case once you are sure'
        : /^0[xX][0-9a-zA-Z]{30,50}$/.test(text)
          ? `an address has 40 hexadecimal digits after 0x, and this has ${text.length - 2} characters there`
          : undefined,
  },
};
