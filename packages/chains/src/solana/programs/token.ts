import { invalidTransaction } from '../../shared/refusal.ts';
import { formatUnits } from '../../shared/text.ts';
import type { ByteReader } from '../byte-reader.ts';
import { type Call, type InstructionSpec, key, type ProgramSpec, u8, u64 } from './instruction-spec.ts';

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
export function optionalKey(reader: ByteReader): string | undefined {
  const present = reader.u8();
  if (present > 1) throw invalidTransaction('the tag byte of an optional key must be 0 or 1');
  return present === 1 ? reader.key() : undefined;
}

function tokens(call: Call, mint: string): string {
  return `${formatUnits(call.amount('amount'), Number(call.amount('decimals')))} tokens (mint ${call.account(mint)})`;
}

const units = (call: Call) => `${call.amount('amount')} base units`;

const transfer: InstructionSpec = {
  name: 'transfer',
  tag: [3],
  args: { amount: u64 },
  accounts: ['source', 'destination', 'owner'],
  effect: 'transfer',
  transfer: { kind: 'tokens', from: 'source', to: 'destination', amount: 'amount', owner: 'owner' },
  describe: (call) =>
    `transfer ${units(call)} of an unnamed token from token account ${call.account('source')} to token account ${call.account('destination')}`,
};

const transferChecked: InstructionSpec = {
  name: 'transferChecked',
  tag: [12],
  args: { amount: u64, decimals: u8 },
  accounts: ['source', 'mint', 'destination', 'owner'],
  effect: 'transfer',
  transfer: { kind: 'tokens', from: 'source', to: 'destination', amount: 'amount', owner: 'owner', mint: 'mint' },
  describe: (call) =>
    `transfer ${tokens(call, 'mint')} from token account ${call.account('source')} to token account ${call.account('destination')}`,
};

const rights: readonly InstructionSpec[] = [
  {
    name: 'approve',
    tag: [4],
    args: { amount: u64 },
    accounts: ['source', 'delegate', 'owner'],
    effect: 'other',
    describe: (call) =>
      `approve spender ${call.account('delegate')} for ${units(call)} of token account ${call.account('source')}`,
  },
  {
    name: 'approveChecked',
    tag: [13],
    args: { amount: u64, decimals: u8 },
    accounts: ['source', 'mint', 'delegate', 'owner'],
    effect: 'other',
    describe: (call) =>
      `approve spender ${call.account('delegate')} for ${tokens(call, 'mint')} of token account ${call.account('source')}`,
  },
  {
    name: 'revoke',
    tag: [5],
    accounts: ['source', 'owner'],
    effect: 'other',
    describe: (call) => `revoke every spender of token account ${call.account('source')}`,
  },
  {
    name: 'setAuthority',
    tag: [6],
    args: { authorityType, newAuthority: optionalKey },
    accounts: ['account', 'authority'],
    effect: 'other',
    describe: (call) =>
      `set the ${call.text('authorityType')} authority of ${call.account('account')} to ${call.text('newAuthority')}`,
  },
  {
    name: 'closeAccount',
    tag: [9],
    accounts: ['account', 'destination', 'owner'],
    effect: 'other',
    describe: (call) => `close account ${call.account('account')} and send its SOL to ${call.account('destination')}`,
  },
  {
    name: 'freezeAccount',
    tag: [10],
    accounts: ['account', 'mint', 'authority'],
    effect: 'other',
    describe: (call) => `freeze token account ${call.account('account')} (mint ${call.account('mint')})`,
  },
  {
    name: 'thawAccount',
    tag: [11],
    accounts: ['account', 'mint', 'authority'],
    effect: 'other',
    describe: (call) => `thaw token account ${call.account('account')} (mint ${call.account('mint')})`,
  },
];

const supply: readonly InstructionSpec[] = [
  {
    name: 'mintTo',
    tag: [7],
    args: { amount: u64 },
    accounts: ['mint', 'account', 'authority'],
    effect: 'other',
    describe: (call) => `mint ${units(call)} of ${call.account('mint')} to token account ${call.account('account')}`,
  },
  {
    name: 'mintToChecked',
    tag: [14],
    args: { amount: u64, decimals: u8 },
    accounts: ['mint', 'account', 'authority'],
    effect: 'other',
    describe: (call) => `mint ${tokens(call, 'mint')} to token account ${call.account('account')}`,
  },
  {
    name: 'burn',
    tag: [8],
    args: { amount: u64 },
    accounts: ['account', 'mint', 'owner'],
    effect: 'other',
    describe: (call) => `burn ${units(call)} of ${call.account('mint')} from token account ${call.account('account')}`,
  },
  {
    name: 'burnChecked',
    tag: [15],
    args: { amount: u64, decimals: u8 },
    accounts: ['account', 'mint', 'owner'],
    effect: 'other',
    describe: (call) => `burn ${tokens(call, 'mint')} from token account ${call.account('account')}`,
  },
];

const newMint = (call: Call) =>
  `make ${call.account('mint')} a token mint of ${call.text('mintAuthority')} (freeze authority: ${call.text('freezeAuthority')})`;
const newAccount = (call: Call, owner: string) =>
  `make ${call.account('account')} a token account of ${owner} for mint ${call.account('mint')}`;
const newMultisig = (call: Call) => `make ${call.account('multisig')} a multisig of ${call.amount('threshold')} signatures`;

const setup: readonly InstructionSpec[] = [
  {
    name: 'initializeMint',
    tag: [0],
    args: { decimals: u8, mintAuthority: key, freezeAuthority: optionalKey },
    accounts: ['mint', 'rent'],
    effect: 'other',
    describe: newMint,
  },
  {
    name: 'initializeMint2',
    tag: [20],
    args: { decimals: u8, mintAuthority: key, freezeAuthority: optionalKey },
    accounts: ['mint'],
    effect: 'other',
    describe: newMint,
  },
  {
    name: 'initializeAccount',
    tag: [1],
    accounts: ['account', 'mint', 'owner', 'rent'],
    effect: 'other',
    describe: (call) => newAccount(call, call.account('owner')),
  },
  {
    name: 'initializeAccount2',
    tag: [16],
    args: { owner: key },
    accounts: ['account', 'mint', 'rent'],
    effect: 'other',
    describe: (call) => newAccount(call, call.text('owner')),
  },
  {
    name: 'initializeAccount3',
    tag: [18],
    args: { owner: key },
    accounts: ['account', 'mint'],
    effect: 'other',
    describe: (call) => newAccount(call, call.text('owner')),
  },
  {
    name: 'initializeMultisig',
    tag: [2],
    args: { threshold: u8 },
    accounts: ['multisig', 'rent'],
    effect: 'other',
    describe: newMultisig,
  },
  {
    name: 'initializeMultisig2',
    tag: [19],
    args: { threshold: u8 },
    accounts: ['multisig'],
    effect: 'other',
    describe: newMultisig,
  },
  {
    name: 'initializeImmutableOwner',
    tag: [22],
    accounts: ['account'],
    effect: 'other',
    describe: (call) => `permanently fix the owner of token account ${call.account('account')}`,
  },
  {
    name: 'syncNative',
    tag: [17],
    accounts: ['account'],
    // Only sets the wrapped SOL token balance to the lamports that are already there.
    effect: 'none',
    describe: (call) => `update the wrapped SOL balance of token account ${call.account('account')}`,
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
