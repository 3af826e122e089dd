import { isTrc10, TRX, trc10 } from './assets.ts';
import { callEffects, paymentEffects, unparsedCall } from './call.ts';
import { type ContractType, field } from './contract-type.ts';
import { integer, movesTrx, text } from './effects.ts';
import { address, enumOf, hex, int64, message, opaque, text as utf8 } from './field-readers.ts';
import { accountPermissionUpdate } from './permissions.ts';
import type { Content, MessageSpec } from './protobuf.ts';
import { stakingContracts } from './staking.ts';

const owner = field(1, 'owner_address', address);

/**
 * SmartContract without what nodes fill in themselves (`contract_address`, `code_hash`, `trx_hash`, `version`). The `abi` only
 * describes the code and is never run, so its bytes are enough.
 */
const smartContract: MessageSpec = {
  name: 'SmartContract',
  fields: [
    field(1, 'origin_address', address),
    field(3, 'abi', opaque, { optional: true }),
    field(4, 'bytecode', hex),
    field(5, 'call_value', int64),
    field(6, 'consume_user_resource_percent', int64),
    field(7, 'name', utf8),
    field(8, 'origin_energy_limit', int64),
  ],
};

const transfers: readonly ContractType[] = [
  {
    number: 0,
    message: {
      name: 'AccountCreateContract',
      // The protocol calls the last field `type`, which here is the name of the contract's type.
      fields: [
        owner,
        field(2, 'account_address', address),
        field(3, 'account_type', enumOf(['Normal', 'AssetIssue', 'Contract'])),
      ],
    },
    mayCreateAccount: true,
    newInLanguage2: true,
    // What the account costs is part of the fee.
    effects: ({ owner_address, account_address }) => [
      { kind: 'CREATE', what: 'ACCOUNT', from: text(owner_address), to: text(account_address) },
    ],
  },
  {
    number: 1,
    message: { name: 'TransferContract', fields: [owner, field(2, 'to_address', address), field(3, 'amount', int64)] },
    mayCreateAccount: true,
    effects: ({ owner_address, to_address, amount }) => [movesTrx(owner_address, to_address, amount)],
  },
  {
    number: 2,
    message: {
      name: 'TransferAssetContract',
      fields: [
        field(1, 'asset_name', utf8),
        field(2, 'owner_address', address),
        field(3, 'to_address', address),
        field(4, 'amount', int64),
      ],
    },
    mayCreateAccount: true,
    effects: ({ asset_name, owner_address, to_address, amount }, tokens) => [
      {
        kind: 'TRANSFER',
        asset: trc10(text(asset_name), tokens),
        from: text(owner_address),
        to: text(to_address),
        amount: integer(amount),
      },
    ],
    unparsed: ({ asset_name }) => (isTrc10(text(asset_name)) ? undefined : 'the TRC-10 token is not named by its number'),
  },
];

const contracts: readonly ContractType[] = [
  {
    number: 30,
    message: {
      name: 'CreateSmartContract',
      fields: [
        owner,
        field(2, 'new_contract', message(smartContract)),
        field(3, 'call_token_value', int64),
        field(4, 'token_id', int64),
      ],
    },
    runsCode: true,
    effects(contract, tokens) {
      const { bytecode, call_value } = contract.new_contract as Content;
      return [
        { kind: 'CREATE', what: 'CONTRACT', from: text(contract.owner_address), asset: TRX, amount: integer(call_value) },
        ...paymentEffects(contract, tokens),
        { kind: 'UNKNOWN', what: 'the code of the contract', bytes: text(bytecode).length / 2 },
      ];
    },
    unparsed: () => 'nobody can tell what the code of the new contract does, now and later',
  },
  {
    number: 31,
    message: {
      name: 'TriggerSmartContract',
      fields: [
        owner,
        field(2, 'contract_address', address),
        field(3, 'call_value', int64),
        field(4, 'data', hex),
        field(5, 'call_token_value', int64),
        field(6, 'token_id', int64),
      ],
    },
    runsCode: true,
    effects: callEffects,
    unparsed: unparsedCall,
  },
];

/**
 * The supported contracts by number, from https://github.com/tronprotocol/protocol (core/contract). A transaction with any other
 * contract is rejected: without its fields, the sender and the amount are unknown.
 */
export const contractTypes: ReadonlyMap<number, ContractType> = new Map(
  [...transfers, ...contracts, accountPermissionUpdate, ...stakingContracts].map((type) => [type.number, type]),
);
