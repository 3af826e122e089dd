import { calls, grants, movesSol, movesToken, shown } from './effects.ts';
import { type Call, type InstructionSpec, key, type ProgramSpec, type Reading, u8, u16, u64 } from './instruction-spec.ts';
import { optionalKey, sharedTokenInstructions } from './token.ts';
import { assetOf, TOKEN_2022, transfersToken, unparsedTransfer } from './token-effects.ts';

/** The first byte of every transfer fee instruction. The second byte tells the instructions apart. */
const TRANSFER_FEE = 26;

const feeTerms = (call: Call) =>
  `${call.amount('transferFeeBasisPoints')} basis points, at most ${call.amount('maximumFee')} base units`;

/** All fees that were withheld so far go to the destination. */
const withheld = (call: Call, reading: Reading) => [
  movesToken(assetOf(call, reading), call.account('mint'), call.account('destination')),
];

const transferFee: readonly InstructionSpec[] = [
  {
    name: 'initializeTransferFeeConfig',
    tag: [TRANSFER_FEE, 0],
    args: {
      transferFeeConfigAuthority: optionalKey,
      withdrawWithheldAuthority: optionalKey,
      transferFeeBasisPoints: u16,
      maximumFee: u64,
    },
    accounts: ['mint'],
    moves: 'other',
    effects: (call) => [
      calls(call, `give mint ${shown(call, 'mint')} a transfer fee of ${feeTerms(call)}`),
      grants(call.account('mint'), 'the transfer fee is set by', call.text('transferFeeConfigAuthority'), 'nobody'),
      grants(call.account('mint'), 'withheld fees are withdrawn by', call.text('withdrawWithheldAuthority'), 'nobody'),
    ],
  },
  {
    name: 'transferCheckedWithFee',
    tag: [TRANSFER_FEE, 1],
    args: { amount: u64, decimals: u8, fee: u64 },
    accounts: ['source', 'mint', 'destination', 'owner'],
    moves: 'transfer',
    transfer: { kind: 'tokens', from: 'source', to: 'destination', amount: 'amount', owner: 'owner', mint: 'mint' },
    effects: transfersToken,
    unparsed: unparsedTransfer,
  },
  {
    name: 'withdrawWithheldTokensFromMint',
    tag: [TRANSFER_FEE, 2],
    accounts: ['mint', 'destination', 'authority'],
    moves: 'other',
    effects: withheld,
  },
  {
    name: 'withdrawWithheldTokensFromAccounts',
    tag: [TRANSFER_FEE, 3],
    args: { accountCount: u8 },
    accounts: ['mint', 'destination', 'authority'],
    moves: 'other',
    effects: withheld,
  },
  {
    name: 'harvestWithheldTokensToMint',
    tag: [TRANSFER_FEE, 4],
    accounts: ['mint'],
    moves: 'other',
    effects: (call) => [calls(call, `collect withheld fees in mint ${shown(call, 'mint')}`)],
  },
  {
    name: 'setTransferFee',
    tag: [TRANSFER_FEE, 5],
    args: { transferFeeBasisPoints: u16, maximumFee: u64 },
    accounts: ['mint', 'authority'],
    moves: 'other',
    effects: (call) => [calls(call, `set the transfer fee of mint ${shown(call, 'mint')} to ${feeTerms(call)}`)],
  },
];

const extensions: readonly InstructionSpec[] = [
  {
    name: 'initializeMintCloseAuthority',
    tag: [25],
    args: { closeAuthority: optionalKey },
    accounts: ['mint'],
    moves: 'other',
    effects: (call) => [grants(call.account('mint'), 'it can be closed by', call.text('closeAuthority'), 'nobody')],
  },
  {
    name: 'initializePermanentDelegate',
    tag: [35],
    args: { delegate: key },
    accounts: ['mint'],
    moves: 'other',
    effects: (call) => [grants(call.account('mint'), 'every token of it can always be moved by', call.text('delegate'))],
  },
  {
    name: 'withdrawExcessLamports',
    tag: [38],
    accounts: ['source', 'destination', 'authority'],
    moves: 'other',
    effects: (call) => [movesSol(call.account('source'), call.account('destination'))],
  },
];

/** The Token-2022 program. Extensions that are not listed count as not understood, never as harmless. */
export const token2022Program: ProgramSpec = {
  name: 'Token-2022',
  keys: [TOKEN_2022],
  instructions: [...sharedTokenInstructions, ...transferFee, ...extensions],
};
