import { formatUnits } from '../../shared/text.ts';
import { type InstructionSpec, key, type ProgramSpec, u8, u16, u64 } from './instruction-spec.ts';
import { optionalKey, sharedTokenInstructions } from './token.ts';

/** The first byte of every transfer fee instruction. The second byte tells the instructions apart. */
const TRANSFER_FEE = 26;

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
    effect: 'other',
    describe: (call) =>
      `give mint ${call.account('mint')} a transfer fee of ${call.amount('transferFeeBasisPoints')} basis points, set by ${call.text('transferFeeConfigAuthority')}`,
  },
  {
    name: 'transferCheckedWithFee',
    tag: [TRANSFER_FEE, 1],
    args: { amount: u64, decimals: u8, fee: u64 },
    accounts: ['source', 'mint', 'destination', 'owner'],
    effect: 'transfer',
    transfer: { kind: 'tokens', from: 'source', to: 'destination', amount: 'amount', owner: 'owner', mint: 'mint' },
    describe: (call) => {
      const decimals = Number(call.amount('decimals'));
      const amount = formatUnits(call.amount('amount'), decimals);
      const fee = formatUnits(call.amount('fee'), decimals);
      return `transfer ${amount} tokens (mint ${call.account('mint')}, ${fee} of them a fee) from token account ${call.account('source')} to token account ${call.account('destination')}`;
    },
  },
  {
    name: 'withdrawWithheldTokensFromMint',
    tag: [TRANSFER_FEE, 2],
    accounts: ['mint', 'destination', 'authority'],
    effect: 'other',
    describe: (call) =>
      `withdraw the fees withheld in mint ${call.account('mint')} to token account ${call.account('destination')}`,
  },
  {
    name: 'withdrawWithheldTokensFromAccounts',
    tag: [TRANSFER_FEE, 3],
    args: { accountCount: u8 },
    accounts: ['mint', 'destination', 'authority'],
    effect: 'other',
    describe: (call) =>
      `withdraw the fees of mint ${call.account('mint')} withheld in ${call.amount('accountCount')} accounts to token account ${call.account('destination')}`,
  },
  {
    name: 'harvestWithheldTokensToMint',
    tag: [TRANSFER_FEE, 4],
    accounts: ['mint'],
    effect: 'other',
    describe: (call) => `collect withheld fees in mint ${call.account('mint')}`,
  },
  {
    name: 'setTransferFee',
    tag: [TRANSFER_FEE, 5],
    args: { transferFeeBasisPoints: u16, maximumFee: u64 },
    accounts: ['mint', 'authority'],
    effect: 'other',
    describe: (call) =>
      `set the transfer fee of mint ${call.account('mint')} to ${call.amount('transferFeeBasisPoints')} basis points`,
  },
];

const extensions: readonly InstructionSpec[] = [
  {
    name: 'initializeMintCloseAuthority',
    tag: [25],
    args: { closeAuthority: optionalKey },
    accounts: ['mint'],
    effect: 'other',
    describe: (call) => `let ${call.text('closeAuthority')} close mint ${call.account('mint')}`,
  },
  {
    name: 'initializePermanentDelegate',
    tag: [35],
    args: { delegate: key },
    accounts: ['mint'],
    effect: 'other',
    describe: (call) => `let ${call.text('delegate')} permanently spend any token of mint ${call.account('mint')}`,
  },
  {
    name: 'withdrawExcessLamports',
    tag: [38],
    accounts: ['source', 'destination', 'authority'],
    effect: 'other',
    describe: (call) => `send the spare SOL of ${call.account('source')} to ${call.account('destination')}`,
  },
];

/** The Token-2022 program. Extensions that are not listed count as not understood, never as harmless. */
export const token2022Program: ProgramSpec = {
  name: 'Token-2022',
  keys: ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'],
  instructions: [...sharedTokenInstructions, ...transferFee, ...extensions],
};
