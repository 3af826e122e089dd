import type { Effect } from '../../effects/effect.ts';
import { invalidTransaction } from '../../shared/refusal.ts';
import type { ByteReader } from '../byte-reader.ts';
import { optional } from './bincode.ts';
import { calls, changes, grants, movesSol, movesToken, shown } from './effects.ts';
import { type Call, type InstructionSpec, key, type ProgramSpec, type Reading, u8, u64 } from './instruction-spec.ts';
import { approves, assetOf, revokes, transfersToken, unparsedToken, unparsedTransfer } from './token-effects.ts';

/** https://docs.rs/spl-token-2022 AuthorityType, in enum order. The older program has the first four. */
const authorityTypes = [
  'MintTokens',
  'FreezeAccount',
  'AccountOwner',
  'CloseAccount',
  'TransferFeeConfig',
  'WithheldWithdraw',
  'CloseMint',
  'InterestRate',
  'PermanentDelegate',
  'ConfidentialTransferMint',
  'TransferHookProgramId',
  'ConfidentialTransferFeeConfig',
  'MetadataPointer',
  'GroupPointer',
  'GroupMemberPointer',
  'ScaledUiAmount',
  'Pause',
] as const;

function authorityType(reader: ByteReader): string {
  const index = reader.u8();
  const name = authorityTypes[index];
  if (name === undefined) throw invalidTransaction(`the token authority type ${index} is not known`);
  return name;
}

/** A tag byte and, when it is 1, a key. */
export const optionalKey = optional((reader) => reader.key());

const transfer: InstructionSpec = {
  name: 'transfer',
  tag: [3],
  args: { amount: u64 },
  accounts: ['source', 'destination', 'owner'],
  moves: 'transfer',
  transfer: { kind: 'tokens', from: 'source', to: 'destination', amount: 'amount', owner: 'owner' },
  effects: transfersToken,
  unparsed: unparsedTransfer,
};

const transferChecked: InstructionSpec = {
  name: 'transferChecked',
  tag: [12],
  args: { amount: u64, decimals: u8 },
  accounts: ['source', 'mint', 'destination', 'owner'],
  moves: 'transfer',
  transfer: { kind: 'tokens', from: 'source', to: 'destination', amount: 'amount', owner: 'owner', mint: 'mint' },
  effects: transfersToken,
  unparsed: unparsedTransfer,
};

const rights: readonly InstructionSpec[] = [
  {
    name: 'approve',
    tag: [4],
    args: { amount: u64 },
    accounts: ['source', 'delegate', 'owner'],
    moves: 'other',
    effects: approves,
    unparsed: unparsedToken,
  },
  {
    name: 'approveChecked',
    tag: [13],
    args: { amount: u64, decimals: u8 },
    accounts: ['source', 'mint', 'delegate', 'owner'],
    moves: 'other',
    effects: approves,
    unparsed: unparsedToken,
  },
  {
    name: 'revoke',
    tag: [5],
    accounts: ['source', 'owner'],
    moves: 'other',
    effects: revokes,
  },
  {
    name: 'setAuthority',
    tag: [6],
    args: { authorityType, newAuthority: optionalKey },
    accounts: ['account', 'authority'],
    moves: 'other',
    effects: (call) => [
      grants(call.account('account'), `${call.text('authorityType')} authority goes to`, call.text('newAuthority'), 'nobody'),
    ],
  },
  {
    name: 'closeAccount',
    tag: [9],
    accounts: ['account', 'destination', 'owner'],
    moves: 'other',
    // All lamports of the account move, for wrapped SOL the whole balance.
    effects: (call) => [movesSol(call.account('account'), call.account('destination'))],
  },
  {
    name: 'freezeAccount',
    tag: [10],
    accounts: ['account', 'mint', 'authority'],
    moves: 'other',
    effects: (call) => [changes(call.account('account'), 'freeze the token account')],
  },
  {
    name: 'thawAccount',
    tag: [11],
    accounts: ['account', 'mint', 'authority'],
    moves: 'other',
    effects: (call) => [changes(call.account('account'), 'thaw the token account')],
  },
];

/** New tokens come out of their mint. */
const mints = (call: Call, reading: Reading) => [
  movesToken(assetOf(call, reading), call.account('mint'), call.account('account'), call.amount('amount')),
];

/** Burnt tokens return to their mint. No other account receives them. */
const burns = (call: Call, reading: Reading) => [
  movesToken(assetOf(call, reading), call.account('account'), call.account('mint'), call.amount('amount')),
];

const supply: readonly InstructionSpec[] = [
  {
    name: 'mintTo',
    tag: [7],
    args: { amount: u64 },
    accounts: ['mint', 'account', 'authority'],
    moves: 'other',
    effects: mints,
    unparsed: unparsedToken,
  },
  {
    name: 'mintToChecked',
    tag: [14],
    args: { amount: u64, decimals: u8 },
    accounts: ['mint', 'account', 'authority'],
    moves: 'other',
    effects: mints,
    unparsed: unparsedToken,
  },
  {
    name: 'burn',
    tag: [8],
    args: { amount: u64 },
    accounts: ['account', 'mint', 'owner'],
    moves: 'other',
    effects: burns,
    unparsed: unparsedToken,
  },
  {
    name: 'burnChecked',
    tag: [15],
    args: { amount: u64, decimals: u8 },
    accounts: ['account', 'mint', 'owner'],
    moves: 'other',
    effects: burns,
    unparsed: unparsedToken,
  },
];

function newMint(call: Call): Effect[] {
  const mint = call.account('mint');
  const freezer = call.text('freezeAuthority');
  const made = grants(mint, 'mint authority is', call.text('mintAuthority'));
  return freezer === undefined ? [made] : [made, grants(mint, 'freeze authority is', freezer)];
}

const newAccount = (call: Call, owner: string | undefined) => [
  grants(call.account('account'), 'owner of the token account is', owner),
];

/** The members of the multisig come after the named accounts. */
function newMultisig(call: Call): Effect[] {
  const rule = `any ${call.amount('threshold')} of ${call.extraAccounts.length} members sign for it`;
  const members = call.extraAccounts.map((member) => grants(call.account('multisig'), `${rule}, one is`, member.key));
  return members.length === 0 ? [changes(call.account('multisig'), rule)] : members;
}

const setup: readonly InstructionSpec[] = [
  {
    name: 'initializeMint',
    tag: [0],
    args: { decimals: u8, mintAuthority: key, freezeAuthority: optionalKey },
    accounts: ['mint', 'rent'],
    moves: 'other',
    effects: newMint,
  },
  {
    name: 'initializeMint2',
    tag: [20],
    args: { decimals: u8, mintAuthority: key, freezeAuthority: optionalKey },
    accounts: ['mint'],
    moves: 'other',
    effects: newMint,
  },
  {
    name: 'initializeAccount',
    tag: [1],
    accounts: ['account', 'mint', 'owner', 'rent'],
    moves: 'other',
    effects: (call) => newAccount(call, call.account('owner')),
  },
  {
    name: 'initializeAccount2',
    tag: [16],
    args: { owner: key },
    accounts: ['account', 'mint', 'rent'],
    moves: 'other',
    effects: (call) => newAccount(call, call.text('owner')),
  },
  {
    name: 'initializeAccount3',
    tag: [18],
    args: { owner: key },
    accounts: ['account', 'mint'],
    moves: 'other',
    effects: (call) => newAccount(call, call.text('owner')),
  },
  {
    name: 'initializeMultisig',
    tag: [2],
    args: { threshold: u8 },
    accounts: ['multisig', 'rent'],
    moves: 'other',
    effects: newMultisig,
  },
  {
    name: 'initializeMultisig2',
    tag: [19],
    args: { threshold: u8 },
    accounts: ['multisig'],
    moves: 'other',
    effects: newMultisig,
  },
  {
    name: 'initializeImmutableOwner',
    tag: [22],
    accounts: ['account'],
    moves: 'other',
    effects: (call) => [changes(call.account('account'), 'its owner can never change')],
  },
  {
    name: 'syncNative',
    tag: [17],
    accounts: ['account'],
    // Only sets the wrapped SOL token balance to the lamports that are already there.
    moves: 'none',
    effects: (call) => [calls(call, `update the wrapped SOL balance of ${shown(call, 'account')}`)],
  },
];

/** Instructions that the Token and Token-2022 programs share: https://docs.rs/spl-token TokenInstruction. */
export const sharedTokenInstructions: readonly InstructionSpec[] = [transfer, transferChecked, ...rights, ...supply, ...setup];

/** The Token program. */
export const tokenProgram: ProgramSpec = {
  name: 'Token',
  keys: ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  instructions: sharedTokenInstructions,
};
