import { quoteText } from '../shared/text.ts';
import type { PolicyValue } from '../transaction.ts';
import { describeCall } from './describe-call.ts';
import { address, bool, enumOf, hex, int32, int64, message, text } from './field-coders.ts';
import { formatTrx } from './format-trx.ts';
import type { Content, FieldSpec, MessageSpec } from './protobuf.ts';

/** One kind of contract that a transaction may carry. The contract and its fields have the protocol's names. */
export interface ContractType {
  /** The kind's number in the protocol's enum. */
  readonly number: number;
  readonly message: MessageSpec;
  describe(contract: Content): string;
  /** Why the content does not tell everything that will happen. Undefined if it does. */
  unparsed?(contract: Content): string | undefined;
}

const field = (number: number, name: string, coder: FieldSpec['coder'], how: Partial<FieldSpec> = {}): FieldSpec => ({
  number,
  name,
  coder,
  ...how,
});

/** A field in sun as an amount of TRX. */
const trx = (sun: PolicyValue | undefined) => formatTrx(sun as bigint);

const owner = field(1, 'owner_address', address);
const resource = enumOf(['BANDWIDTH', 'ENERGY', 'TRON_POWER']);

const permission: MessageSpec = {
  name: 'Permission',
  fields: [
    field(1, 'type', enumOf(['Owner', 'Witness', 'Active'])),
    field(2, 'id', int32),
    field(3, 'permission_name', text),
    field(4, 'threshold', int64),
    field(5, 'parent_id', int32),
    field(6, 'operations', hex),
    field(7, 'keys', message({ name: 'Key', fields: [field(1, 'address', address), field(2, 'weight', int64)] }), {
      repeated: true,
    }),
  ],
};

function describePermission(value: unknown): string {
  const { permission_name, threshold, keys } = value as Content;
  const members = (keys as readonly Content[]).map((key) => `${key.address} (weight ${key.weight})`).join(', ');
  return `${quoteText(String(permission_name))} needs ${threshold} of ${members || 'no keys'}`;
}

/**
 * The supported contracts, from https://github.com/tronprotocol/protocol (core/contract). A transaction with any other contract
 * is refused: without its fields nobody could say who spends what, or that the signer is the one who spends.
 */
const all: readonly ContractType[] = [
  {
    number: 1,
    message: { name: 'TransferContract', fields: [owner, field(2, 'to_address', address), field(3, 'amount', int64)] },
    describe: ({ amount, to_address }) => `send ${trx(amount)} to ${to_address}`,
  },
  {
    number: 2,
    message: {
      name: 'TransferAssetContract',
      fields: [
        field(1, 'asset_name', text),
        field(2, 'owner_address', address),
        field(3, 'to_address', address),
        field(4, 'amount', int64),
      ],
    },
    describe: ({ amount, asset_name, to_address }) =>
      `transfer ${amount} base units of TRC-10 token ${quoteText(String(asset_name))} to ${to_address}`,
  },
  {
    number: 4,
    message: {
      name: 'VoteWitnessContract',
      fields: [
        owner,
        field(2, 'votes', message({ name: 'Vote', fields: [field(1, 'vote_address', address), field(2, 'vote_count', int64)] }), {
          repeated: true,
        }),
        field(3, 'support', bool),
      ],
    },
    describe: ({ votes }) =>
      `replace all votes by ${(votes as readonly Content[]).map((vote) => `${vote.vote_count} for ${vote.vote_address}`).join(', ') || 'none'}`,
  },
  {
    number: 11,
    message: {
      name: 'FreezeBalanceContract',
      fields: [
        owner,
        field(2, 'frozen_balance', int64),
        field(3, 'frozen_duration', int64),
        field(10, 'resource', resource),
        field(15, 'receiver_address', address, { optional: true }),
      ],
    },
    describe: (contract) =>
      `stake ${trx(contract.frozen_balance)} for ${contract.resource} (Stake 1.0, ${contract.frozen_duration} days)${contract.receiver_address === undefined ? '' : `, for the use of ${contract.receiver_address}`}`,
  },
  {
    number: 12,
    message: {
      name: 'UnfreezeBalanceContract',
      fields: [owner, field(10, 'resource', resource), field(15, 'receiver_address', address, { optional: true })],
    },
    describe: (contract) =>
      `end the Stake 1.0 stake for ${contract.resource}${contract.receiver_address === undefined ? '' : `, lent to ${contract.receiver_address}`}`,
  },
  {
    number: 13,
    message: { name: 'WithdrawBalanceContract', fields: [owner] },
    describe: () => 'withdraw voting and block rewards to the account balance',
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
    describe: describeCall,
    unparsed: ({ contract_address, data }) =>
      data === '' ? undefined : `no interface explains the call data for contract ${contract_address}, so it is shown as it is`,
  },
  {
    number: 46,
    message: {
      name: 'AccountPermissionUpdateContract',
      fields: [
        owner,
        field(2, 'owner', message(permission)),
        field(3, 'witness', message(permission), { optional: true }),
        field(4, 'actives', message(permission), { repeated: true }),
      ],
    },
    describe: ({ owner_address, owner: ownerPermission, witness, actives }) =>
      [
        `hand control of account ${owner_address} to new keys: owner permission ${describePermission(ownerPermission)}`,
        ...(witness === undefined ? [] : [`witness permission ${describePermission(witness)}`]),
        ...(actives as readonly Content[]).map((active) => `active permission ${describePermission(active)}`),
      ].join('; '),
  },
  {
    number: 54,
    message: {
      name: 'FreezeBalanceV2Contract',
      fields: [owner, field(2, 'frozen_balance', int64), field(3, 'resource', resource)],
    },
    describe: (contract) => `stake ${trx(contract.frozen_balance)} for ${contract.resource}`,
  },
  {
    number: 55,
    message: {
      name: 'UnfreezeBalanceV2Contract',
      fields: [owner, field(2, 'unfreeze_balance', int64), field(3, 'resource', resource)],
    },
    describe: (contract) => `unstake ${trx(contract.unfreeze_balance)} of ${contract.resource}`,
  },
  {
    number: 56,
    message: { name: 'WithdrawExpireUnfreezeContract', fields: [owner] },
    describe: () => 'withdraw unstaked TRX whose waiting time is over to the account balance',
  },
  {
    number: 57,
    message: {
      name: 'DelegateResourceContract',
      fields: [
        owner,
        field(2, 'resource', resource),
        field(3, 'balance', int64),
        field(4, 'receiver_address', address),
        field(5, 'lock', bool),
        field(6, 'lock_period', int64),
      ],
    },
    describe: (contract) =>
      `lend the ${contract.resource} of ${trx(contract.balance)} to ${contract.receiver_address}${contract.lock ? ` (locked for ${contract.lock_period} blocks)` : ''}`,
  },
  {
    number: 58,
    message: {
      name: 'UnDelegateResourceContract',
      fields: [owner, field(2, 'resource', resource), field(3, 'balance', int64), field(4, 'receiver_address', address)],
    },
    describe: (contract) => `take back the ${contract.resource} of ${trx(contract.balance)} from ${contract.receiver_address}`,
  },
  {
    number: 59,
    message: { name: 'CancelAllUnfreezeV2Contract', fields: [owner] },
    describe: () => 'cancel every unstaking that is still waiting',
  },
];

/** Every supported contract, by number. */
export const contractTypes: ReadonlyMap<number, ContractType> = new Map(all.map((type) => [type.number, type]));
