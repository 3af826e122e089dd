import type { Effect } from '../../effects/effect.ts';
import { invalidTransaction } from '../../shared/refusal.ts';
import type { ByteReader } from '../byte-reader.ts';
import { optional, seed, tag } from './bincode.ts';
import { calls, changes, grants, movesSol, shown } from './effects.ts';
import { type Call, type InstructionSpec, key, type ProgramSpec, u64 } from './instruction-spec.ts';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const RENT = 'SysvarRent111111111111111111111111111111111';
const NOBODY = '11111111111111111111111111111111';

const i64 = (reader: ByteReader) => reader.signed(8);

/** StakeAuthorize, a u32. The withdrawer can take everything; the staker decides where the stake is delegated. */
function role(reader: ByteReader): string {
  const name = ['staker', 'withdrawer'][Number(reader.unsigned(4))];
  if (name === undefined) throw invalidTransaction('the role of a stake authority is not known');
  return name;
}

const authorize = (call: Call, to: string | undefined) => [
  grants(call.account('stake'), `${call.text('role')} of the stake becomes`, to),
];

/** Who controls a new stake. */
function initialize(call: Call, staker: string | undefined, withdrawer: string | undefined): Effect[] {
  const stake = call.account('stake');
  return [grants(stake, 'staker of the stake is', staker), grants(stake, 'withdrawer of the stake is', withdrawer)];
}

/** A time or an epoch that is not set does not change. */
function lockup(call: Call, custodian: string | undefined): Effect {
  const time = call.text('unixTimestamp');
  const epoch = call.text('epoch');
  const until = [...(time === undefined ? [] : [`second ${time}`]), ...(epoch === undefined ? [] : [`epoch ${epoch}`])].join(
    ' and ',
  );
  const what = until === '' ? 'its lockup' : `its lockup lasts until ${until}`;
  const stake = call.account('stake');
  return custodian === undefined ? changes(stake, what) : grants(stake, `${what}, and the custodian is`, custodian);
}

const authorities: readonly InstructionSpec[] = [
  {
    name: 'initialize',
    tag: tag(0),
    args: { staker: key, withdrawer: key, unixTimestamp: i64, epoch: u64, custodian: key },
    accounts: ['stake'],
    moves: 'other',
    effects(call) {
      const made = initialize(call, call.text('staker'), call.text('withdrawer'));
      const locked = call.amount('unixTimestamp') !== 0n || call.amount('epoch') !== 0n || call.text('custodian') !== NOBODY;
      return locked ? [...made, lockup(call, call.text('custodian'))] : made;
    },
  },
  {
    name: 'authorize',
    tag: tag(1),
    args: { newAuthorized: key, role },
    accounts: ['stake'],
    moves: 'other',
    effects: (call) => authorize(call, call.text('newAuthorized')),
  },
  {
    name: 'setLockup',
    tag: tag(6),
    args: { unixTimestamp: optional(i64), epoch: optional(u64), custodian: optional((reader) => reader.key()) },
    accounts: ['stake', 'authority'],
    moves: 'other',
    effects: (call) => [lockup(call, call.text('custodian'))],
  },
  {
    name: 'authorizeWithSeed',
    tag: tag(8),
    args: { newAuthorized: key, role, seed, authorityOwner: key },
    accounts: ['stake', 'base'],
    moves: 'other',
    effects: (call) => authorize(call, call.text('newAuthorized')),
  },
  {
    name: 'initializeChecked',
    tag: tag(9),
    accounts: ['stake', 'staker', 'withdrawer'],
    sysvar: { at: 1, key: RENT },
    moves: 'other',
    effects: (call) => initialize(call, call.account('staker'), call.account('withdrawer')),
  },
  {
    name: 'authorizeChecked',
    tag: tag(10),
    args: { role },
    accounts: ['stake', 'authority', 'newAuthorized'],
    sysvar: { at: 1, key: CLOCK },
    moves: 'other',
    effects: (call) => authorize(call, call.account('newAuthorized')),
  },
  {
    name: 'authorizeCheckedWithSeed',
    tag: tag(11),
    args: { role, seed, authorityOwner: key },
    accounts: ['stake', 'base', 'newAuthorized'],
    sysvar: { at: 2, key: CLOCK },
    moves: 'other',
    effects: (call) => authorize(call, call.account('newAuthorized')),
  },
  {
    name: 'setLockupChecked',
    tag: tag(12),
    args: { unixTimestamp: optional(i64), epoch: optional(u64) },
    accounts: ['stake', 'authority'],
    moves: 'other',
    effects: (call) => [lockup(call, call.extraAccounts[0]?.key)],
  },
];

const stakes: readonly InstructionSpec[] = [
  {
    name: 'delegate',
    tag: tag(2),
    accounts: ['stake', 'vote'],
    moves: 'other',
    effects: (call) => [calls(call, `delegate stake ${shown(call, 'stake')} to validator vote account ${shown(call, 'vote')}`)],
  },
  {
    name: 'split',
    tag: tag(3),
    args: { lamports: u64 },
    accounts: ['stake', 'splitStake', 'authority'],
    moves: 'other',
    effects: (call) => [movesSol(call.account('stake'), call.account('splitStake'), call.amount('lamports'))],
  },
  {
    name: 'withdraw',
    tag: tag(4),
    args: { lamports: u64 },
    accounts: ['stake', 'destination'],
    moves: 'other',
    effects: (call) => [movesSol(call.account('stake'), call.account('destination'), call.amount('lamports'))],
  },
  {
    name: 'deactivate',
    tag: tag(5),
    accounts: ['stake'],
    moves: 'other',
    effects: (call) => [calls(call, `deactivate stake ${shown(call, 'stake')}`)],
  },
  {
    name: 'merge',
    tag: tag(7),
    accounts: ['destination', 'source'],
    moves: 'other',
    // The source ends, so everything in it moves.
    effects: (call) => [movesSol(call.account('source'), call.account('destination'))],
  },
  {
    name: 'getMinimumDelegation',
    tag: tag(13),
    moves: 'other',
    effects: (call) => [calls(call, 'get the minimum delegation')],
  },
  {
    name: 'deactivateDelinquent',
    tag: tag(14),
    accounts: ['stake', 'delinquentVote', 'referenceVote'],
    moves: 'other',
    effects: (call) => [calls(call, `deactivate delinquent stake ${shown(call, 'stake')}`)],
  },
  {
    name: 'moveStake',
    tag: tag(16),
    args: { lamports: u64 },
    accounts: ['source', 'destination', 'authority'],
    moves: 'other',
    effects: (call) => [movesSol(call.account('source'), call.account('destination'), call.amount('lamports'))],
  },
  {
    name: 'moveLamports',
    tag: tag(17),
    args: { lamports: u64 },
    accounts: ['source', 'destination', 'authority'],
    moves: 'other',
    effects: (call) => [movesSol(call.account('source'), call.account('destination'), call.amount('lamports'))],
  },
];

/**
 * The Stake program: https://docs.rs/solana-stake-interface StakeInstruction. Redelegate (15) was never enabled. Accounts that
 * tell nothing, such as sysvars at the end, have no names here.
 */
export const stakeProgram: ProgramSpec = {
  name: 'Stake',
  keys: ['Stake11111111111111111111111111111111111111'],
  newInLanguage2: true,
  instructions: [...authorities, ...stakes],
};
