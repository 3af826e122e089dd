import type { Effect } from '../effects/effect.ts';
import { type ContractType, field } from './contract-type.ts';
import { calls, text, trx } from './effects.ts';
import { address, bool, enumOf, int64, message } from './field-readers.ts';
import type { Content } from './protobuf.ts';

const owner = field(1, 'owner_address', address);
const resource = enumOf(['BANDWIDTH', 'ENERGY', 'TRON_POWER']);

/**
 * Delegates resources of the owner's stake to another account. The receiver cannot take TRX, as with an allowance, but it gains a
 * right of the account.
 */
function lends(from: Content[string] | undefined, what: string, to: Content[string] | undefined): Effect {
  return { kind: 'AUTHORITY', what, from: text(from), to: text(to) };
}

/** Contracts about staked TRX and the votes that come with them. */
export const stakingContracts: readonly ContractType[] = [
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
    effects({ votes }) {
      const list = (votes as readonly Content[]).map((vote) => `${vote.vote_count} for ${vote.vote_address}`).join(', ');
      return [calls(`replace all votes by ${list || 'none'}`)];
    },
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
    effects({ owner_address, frozen_balance, frozen_duration, resource: kind, receiver_address }) {
      const staked = calls(`stake ${trx(frozen_balance)} for ${kind} (Stake 1.0, ${frozen_duration} days)`);
      if (receiver_address === undefined) return [staked];
      return [staked, lends(owner_address, `lend the ${kind} of ${trx(frozen_balance)} to`, receiver_address)];
    },
  },
  {
    number: 12,
    message: {
      name: 'UnfreezeBalanceContract',
      fields: [owner, field(10, 'resource', resource), field(15, 'receiver_address', address, { optional: true })],
    },
    effects({ resource: kind, receiver_address }) {
      const lent = receiver_address === undefined ? '' : `, lent to ${receiver_address}`;
      return [calls(`end the Stake 1.0 stake for ${kind}${lent}`)];
    },
  },
  {
    number: 13,
    message: { name: 'WithdrawBalanceContract', fields: [owner] },
    effects: () => [calls('withdraw voting and block rewards to the account balance')],
  },
  {
    number: 54,
    message: {
      name: 'FreezeBalanceV2Contract',
      fields: [owner, field(2, 'frozen_balance', int64), field(3, 'resource', resource)],
    },
    effects: (contract) => [calls(`stake ${trx(contract.frozen_balance)} for ${contract.resource}`)],
  },
  {
    number: 55,
    message: {
      name: 'UnfreezeBalanceV2Contract',
      fields: [owner, field(2, 'unfreeze_balance', int64), field(3, 'resource', resource)],
    },
    effects: (contract) => [calls(`unstake ${trx(contract.unfreeze_balance)} of ${contract.resource}`)],
  },
  {
    number: 56,
    message: { name: 'WithdrawExpireUnfreezeContract', fields: [owner] },
    effects: () => [calls('withdraw unstaked TRX whose waiting time is over to the account balance')],
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
    effects({ owner_address, resource: kind, balance, receiver_address, lock, lock_period }) {
      const locked = lock ? ` (locked for ${lock_period} blocks)` : '';
      return [lends(owner_address, `lend the ${kind} of ${trx(balance)}${locked} to`, receiver_address)];
    },
  },
  {
    number: 58,
    message: {
      name: 'UnDelegateResourceContract',
      fields: [owner, field(2, 'resource', resource), field(3, 'balance', int64), field(4, 'receiver_address', address)],
    },
    effects: ({ resource: kind, balance, receiver_address }) => [
      calls(`take back the ${kind} of ${trx(balance)} from ${receiver_address}`),
    ],
  },
  {
    number: 59,
    message: { name: 'CancelAllUnfreezeV2Contract', fields: [owner] },
    effects: () => [calls('cancel every unstaking that is still waiting')],
  },
];
