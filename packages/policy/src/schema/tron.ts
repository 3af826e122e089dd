import { t } from '../types.ts';
import { type ChainSchema, transactionNamespace } from './chain.ts';

const address = t.address('tron');

const permissionKey = t.struct('TronKey', {
  address: { type: address, doc: 'The address that may sign' },
  weight: { type: t.int, doc: 'What its signature weighs' },
});

const permission = t.struct('TronPermission', {
  type: { type: t.string, doc: 'Owner, Witness or Active' },
  id: { type: t.int, doc: '0 owner, 1 witness, 2 and up active' },
  permission_name: { type: t.string, doc: 'The name' },
  threshold: { type: t.int, doc: 'The weight that signatures must reach' },
  parent_id: { type: t.int, doc: 'The parent' },
  operations: { type: t.hex, doc: 'The permitted contract types as bits' },
  keys: { type: t.list(permissionKey), doc: 'Who may sign' },
});

const vote = t.struct('TronVote', {
  vote_address: { type: address, doc: 'The witness' },
  vote_count: { type: t.int, doc: 'The votes it gets' },
});

const smartContract = t.struct('TronSmartContract', {
  origin_address: { type: address, doc: 'Who makes it' },
  abi: { type: t.hex, doc: 'The description of its functions, as bytes' },
  bytecode: { type: t.hex, doc: 'Its code and the arguments of its constructor' },
  call_value: { type: t.int, doc: 'The amount in sun that it starts with' },
  consume_user_resource_percent: { type: t.int, doc: 'The share of energy that callers pay, in percent' },
  name: { type: t.string, doc: 'Its name' },
  origin_energy_limit: { type: t.int, doc: 'The most energy that the maker pays for one call' },
});

const contract = t.struct('TronContract', {
  type: { type: t.string, doc: 'The contract type, for example TransferContract' },
  permission_id: { type: t.int, doc: 'The permission that signs' },
  owner_address: { type: address, doc: 'The account that acts' },
  to_address: { type: address, doc: 'TransferContract, TransferAssetContract: the receiver' },
  amount: { type: t.int, doc: 'TransferContract: the amount in sun. TransferAssetContract: in base units of the token' },
  account_address: { type: address, doc: 'AccountCreateContract: the new account' },
  account_type: { type: t.string, doc: 'AccountCreateContract: Normal, AssetIssue or Contract' },
  asset_name: { type: t.string, doc: 'TransferAssetContract: the TRC-10 token' },
  votes: { type: t.list(vote), doc: 'VoteWitnessContract: the votes' },
  support: { type: t.bool, doc: 'VoteWitnessContract: a flag that nodes do not read' },
  contract_address: { type: address, doc: 'TriggerSmartContract: the called contract' },
  call_value: { type: t.int, doc: 'TriggerSmartContract: the amount in sun that goes along' },
  data: { type: t.hex, doc: 'TriggerSmartContract: the call data, hex without 0x' },
  call_token_value: { type: t.int, doc: 'TriggerSmartContract, CreateSmartContract: the TRC-10 amount that goes along' },
  token_id: { type: t.int, doc: 'TriggerSmartContract, CreateSmartContract: the TRC-10 token' },
  new_contract: { type: smartContract, doc: 'CreateSmartContract: the new contract' },
  resource: { type: t.string, doc: 'Freeze and delegate: ENERGY, BANDWIDTH or TRON_POWER' },
  balance: { type: t.int, doc: 'Delegate and undelegate: the amount in sun' },
  receiver_address: { type: address, doc: 'Delegate and undelegate: who receives the resource' },
  lock: { type: t.bool, doc: 'Delegate: whether it is locked' },
  lock_period: { type: t.int, doc: 'Delegate: for how many blocks it is locked' },
  frozen_balance: { type: t.int, doc: 'Freeze: the amount in sun' },
  frozen_duration: { type: t.int, doc: 'FreezeBalance: for how many days' },
  unfreeze_balance: { type: t.int, doc: 'UnfreezeBalanceV2: the amount in sun' },
  owner: { type: permission, doc: 'AccountPermissionUpdate: the owner permission' },
  witness: { type: permission, doc: 'AccountPermissionUpdate: the witness permission' },
  actives: { type: t.list(permission), doc: 'AccountPermissionUpdate: the active permissions' },
});

/** `tron.tx`: the raw data of a Tron transaction. A contract has only the fields of its type. */
const transaction = t.struct('TronTransaction', {
  ref_block_bytes: { type: t.hex, doc: 'The height of the reference block, its last two bytes' },
  ref_block_hash: { type: t.hex, doc: 'The hash of the reference block, eight bytes' },
  expiration: { type: t.int, doc: 'When it expires, in milliseconds' },
  timestamp: { type: t.int, doc: 'When it was made, in milliseconds' },
  data: { type: t.hex, doc: 'The memo, hex without 0x' },
  fee_limit: { type: t.int, doc: 'The most to pay for energy, in sun' },
  max_fee: {
    type: t.int,
    doc: 'The most that the owner pays for bandwidth, energy, a new account, the memo and new permissions, in sun, at the usual prices',
  },
  contract: { type: t.list(contract), doc: 'What it does' },
});

export const tron: ChainSchema = {
  namespaces: [
    transactionNamespace(
      'tron.tx',
      transaction,
      {
        doc: 'The Tron transaction to sign',
        example: 'tron.tx.fee_limit <= 20 TRX',
        unsigned: true,
      },
      ['TRON_SEND_TRANSACTION'],
    ),
  ],
  units: [
    { name: 'TRX', decimals: 6, doc: 'The coin of Tron', example: 'tron.tx.fee_limit <= 20 TRX' },
    { name: 'sun', decimals: 0, doc: 'The base unit of Tron', example: 'tron.tx.fee_limit > 5 sun' },
  ],
  network: 'tron:0x2b6653dc',
  hexFields: { prefixed: [], bare: ['TronContract.data', 'TronTransaction.data'] },
  tokenFields: ['TronContract.contract_address'],
  address: {},
};
