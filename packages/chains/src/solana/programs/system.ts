import { invalidTransaction } from '../../shared/refusal.ts';
import type { ByteReader } from '../byte-reader.ts';
import { formatSol } from '../format-sol.ts';
import { key, type ProgramSpec, u64 } from './instruction-spec.ts';

/** The longest seed for deriving an account address. */
const MAX_SEED_BYTES = 32n;

/** A little-endian u32 as the tag bytes of a bincode enum. */
const tag = (index: number) => [index, 0, 0, 0];

/** bincode: a u64 length, then UTF-8. */
function seed(reader: ByteReader): string {
  const length = reader.unsigned(8);
  if (length > MAX_SEED_BYTES) throw invalidTransaction('a seed is longer than 32 bytes');
  return reader.text(Number(length));
}

/** The System program: https://docs.rs/solana-system-interface SystemInstruction, in the order of its enum. */
export const systemProgram: ProgramSpec = {
  name: 'System',
  keys: ['11111111111111111111111111111111'],
  instructions: [
    {
      name: 'createAccount',
      tag: tag(0),
      args: { lamports: u64, space: u64, owner: key },
      accounts: ['funding', 'new'],
      effect: 'other',
      describe: (call) =>
        `create account ${call.account('new')} with ${formatSol(call.amount('lamports'))} from ${call.account('funding')}, owned by program ${call.text('owner')}`,
    },
    {
      name: 'assign',
      tag: tag(1),
      args: { owner: key },
      accounts: ['account'],
      effect: 'other',
      describe: (call) => `hand account ${call.account('account')} over to program ${call.text('owner')}`,
    },
    {
      name: 'transfer',
      tag: tag(2),
      args: { lamports: u64 },
      accounts: ['source', 'destination'],
      effect: 'transfer',
      transfer: { kind: 'lamports', from: 'source', to: 'destination', amount: 'lamports' },
      describe: (call) =>
        `send ${formatSol(call.amount('lamports'))} to ${call.account('destination')} from ${call.account('source')}`,
    },
    {
      name: 'createAccountWithSeed',
      tag: tag(3),
      args: { base: key, seed, lamports: u64, space: u64, owner: key },
      accounts: ['funding', 'new'],
      effect: 'other',
      describe: (call) =>
        `create account ${call.account('new')} with ${formatSol(call.amount('lamports'))} from ${call.account('funding')}, owned by program ${call.text('owner')}`,
    },
    {
      name: 'advanceNonceAccount',
      tag: tag(4),
      accounts: ['nonce', 'recentBlockhashes', 'authority'],
      // A durable nonce: the signed transaction stays valid until the nonce is next advanced.
      effect: 'other',
      describe: (call) => `use durable nonce ${call.account('nonce')} (the signature does not expire)`,
    },
    {
      name: 'withdrawNonceAccount',
      tag: tag(5),
      args: { lamports: u64 },
      accounts: ['nonce', 'destination', 'recentBlockhashes', 'rent', 'authority'],
      effect: 'other',
      describe: (call) =>
        `withdraw ${formatSol(call.amount('lamports'))} from nonce account ${call.account('nonce')} to ${call.account('destination')}`,
    },
    {
      name: 'initializeNonceAccount',
      tag: tag(6),
      args: { authority: key },
      accounts: ['nonce', 'recentBlockhashes', 'rent'],
      effect: 'other',
      describe: (call) => `make ${call.account('nonce')} a nonce account of ${call.text('authority')}`,
    },
    {
      name: 'authorizeNonceAccount',
      tag: tag(7),
      args: { newAuthority: key },
      accounts: ['nonce', 'authority'],
      effect: 'other',
      describe: (call) => `give control of nonce account ${call.account('nonce')} to ${call.text('newAuthority')}`,
    },
    {
      name: 'allocate',
      tag: tag(8),
      args: { space: u64 },
      accounts: ['account'],
      effect: 'other',
      describe: (call) => `allocate ${call.amount('space')} bytes in account ${call.account('account')}`,
    },
    {
      name: 'allocateWithSeed',
      tag: tag(9),
      args: { base: key, seed, space: u64, owner: key },
      accounts: ['account', 'base'],
      effect: 'other',
      describe: (call) =>
        `allocate ${call.amount('space')} bytes in account ${call.account('account')} and hand it over to program ${call.text('owner')}`,
    },
    {
      name: 'assignWithSeed',
      tag: tag(10),
      args: { base: key, seed, owner: key },
      accounts: ['account', 'base'],
      effect: 'other',
      describe: (call) => `hand account ${call.account('account')} over to program ${call.text('owner')}`,
    },
    {
      name: 'transferWithSeed',
      tag: tag(11),
      args: { lamports: u64, fromSeed: seed, fromOwner: key },
      accounts: ['source', 'base', 'destination'],
      effect: 'transfer',
      transfer: { kind: 'lamports', from: 'source', to: 'destination', amount: 'lamports' },
      describe: (call) =>
        `send ${formatSol(call.amount('lamports'))} to ${call.account('destination')} from ${call.account('source')}`,
    },
    {
      name: 'upgradeNonceAccount',
      tag: tag(12),
      accounts: ['nonce'],
      effect: 'other',
      describe: (call) => `upgrade nonce account ${call.account('nonce')}`,
    },
  ],
};
