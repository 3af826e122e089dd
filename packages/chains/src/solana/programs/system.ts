import type { Effect } from '../../effects/effect.ts';
import { seed, tag } from './bincode.ts';
import { calls, creates, grants, movesSol, shown } from './effects.ts';
import { type Call, type InstructionSpec, key, type ProgramSpec, type Reading, u64 } from './instruction-spec.ts';

const handOver = (call: Call, account: string) => grants(call.account(account), 'hand it over to program', call.text('owner'));

/** The new account belongs to a program from then on. For the signer's own key that is a loss of control. */
function create(call: Call, { signerKey }: Reading): Effect[] {
  const made = creates(call.account('funding'), call.account('new'), call.text('owner'), call.amount('lamports'));
  return call.account('new') === signerKey ? [made, handOver(call, 'new')] : [made];
}

const accounts: readonly InstructionSpec[] = [
  {
    name: 'createAccount',
    tag: tag(0),
    args: { lamports: u64, space: u64, owner: key },
    accounts: ['funding', 'new'],
    moves: 'other',
    effects: create,
  },
  {
    name: 'assign',
    tag: tag(1),
    args: { owner: key },
    accounts: ['account'],
    moves: 'other',
    effects: (call) => [handOver(call, 'account')],
  },
  {
    name: 'transfer',
    tag: tag(2),
    args: { lamports: u64 },
    accounts: ['source', 'destination'],
    moves: 'transfer',
    transfer: { kind: 'lamports', from: 'source', to: 'destination', amount: 'lamports' },
    effects: (call) => [movesSol(call.account('source'), call.account('destination'), call.amount('lamports'))],
  },
  {
    name: 'createAccountWithSeed',
    tag: tag(3),
    args: { base: key, seed, lamports: u64, space: u64, owner: key },
    accounts: ['funding', 'new'],
    moves: 'other',
    effects: create,
  },
  {
    name: 'allocate',
    tag: tag(8),
    args: { space: u64 },
    accounts: ['account'],
    moves: 'other',
    effects: (call) => [calls(call, `allocate ${call.amount('space')} bytes in ${shown(call, 'account')}`)],
  },
  {
    name: 'allocateWithSeed',
    tag: tag(9),
    args: { base: key, seed, space: u64, owner: key },
    accounts: ['account', 'base'],
    moves: 'other',
    effects: (call) => [handOver(call, 'account')],
  },
  {
    name: 'assignWithSeed',
    tag: tag(10),
    args: { base: key, seed, owner: key },
    accounts: ['account', 'base'],
    moves: 'other',
    effects: (call) => [handOver(call, 'account')],
  },
  {
    name: 'transferWithSeed',
    tag: tag(11),
    args: { lamports: u64, fromSeed: seed, fromOwner: key },
    accounts: ['source', 'base', 'destination'],
    moves: 'transfer',
    transfer: { kind: 'lamports', from: 'source', to: 'destination', amount: 'lamports' },
    effects: (call) => [movesSol(call.account('source'), call.account('destination'), call.amount('lamports'))],
  },
];

const nonces: readonly InstructionSpec[] = [
  {
    name: 'advanceNonceAccount',
    tag: tag(4),
    accounts: ['nonce', 'recentBlockhashes', 'authority'],
    moves: 'other',
    // A durable nonce takes the place of the recent block hash, which would expire after about a minute.
    effects: (call) => [{ kind: 'REPLAYABLE', lasting: true, what: `valid until the nonce of ${shown(call, 'nonce')} is used` }],
  },
  {
    name: 'withdrawNonceAccount',
    tag: tag(5),
    args: { lamports: u64 },
    accounts: ['nonce', 'destination', 'recentBlockhashes', 'rent', 'authority'],
    moves: 'other',
    effects: (call) => [movesSol(call.account('nonce'), call.account('destination'), call.amount('lamports'))],
  },
  {
    name: 'initializeNonceAccount',
    tag: tag(6),
    args: { authority: key },
    accounts: ['nonce', 'recentBlockhashes', 'rent'],
    moves: 'other',
    effects: (call) => [grants(call.account('nonce'), 'nonce authority is', call.text('authority'))],
  },
  {
    name: 'authorizeNonceAccount',
    tag: tag(7),
    args: { newAuthority: key },
    accounts: ['nonce', 'authority'],
    moves: 'other',
    effects: (call) => [grants(call.account('nonce'), 'nonce authority goes to', call.text('newAuthority'))],
  },
  {
    name: 'upgradeNonceAccount',
    tag: tag(12),
    accounts: ['nonce'],
    moves: 'other',
    effects: (call) => [calls(call, `upgrade nonce account ${shown(call, 'nonce')}`)],
  },
];

/** The System program: https://docs.rs/solana-system-interface SystemInstruction. */
export const systemProgram: ProgramSpec = {
  name: 'System',
  keys: ['11111111111111111111111111111111'],
  instructions: [...accounts, ...nonces],
};
