import { t } from '../types.ts';
import { type ChainSchema, transactionNamespace } from './chain.ts';

/**
 * Other services use this word for an account from a lookup table, so policies may compare with it. Here such an account has no key: every
 * comparison with it is an error, including one with this word. So a DENY on it denies.
 */
const LOOKED_UP = 'ADDRESS_TABLE_LOOKUP';

const account = t.address('solana', [LOOKED_UP]);

const instructionAccount = t.struct('SolanaAccount', {
  account_key: { type: account, doc: 'The account; absent if it comes from a lookup table' },
  signer: { type: t.bool, doc: 'Whether it must sign' },
  writable: { type: t.bool, doc: 'Whether it may be written' },
});

const addressTableLookup = t.struct('SolanaAddressTableLookup', {
  address_table_key: { type: t.address('solana'), doc: 'The table' },
  writable_indexes: { type: t.list(t.int), doc: 'Positions of accounts that may be written' },
  readonly_indexes: { type: t.list(t.int), doc: 'Positions of accounts that are only read' },
});

const parsedInstruction = t.struct('SolanaParsedInstruction', {
  instruction_name: { type: t.string, doc: 'The name in the stored interface' },
  discriminator: { type: t.hex, doc: 'The bytes that select the instruction' },
  named_accounts: {
    type: t.map(account),
    doc: 'The accounts by their names in the stored interface, without those from lookup tables',
  },
  program_call_args: { type: t.map(t.dynamic), doc: 'The arguments by name' },
});

const instruction = t.struct('SolanaInstruction', {
  program_key: { type: t.address('solana'), doc: 'The program that is called' },
  accounts: { type: t.list(instructionAccount), doc: 'The accounts it is given' },
  instruction_data_hex: { type: t.hex, doc: 'Its data, hex without 0x' },
  address_table_lookups: { type: t.list(addressTableLookup), doc: 'The part of the lookup tables that it uses' },
  parsed_instruction_data: { type: parsedInstruction, doc: 'Its parsed form, when an interface is stored for the program' },
});

const transfer = t.struct('SolanaTransfer', {
  from: { type: account, doc: 'The sender; absent if it comes from a lookup table' },
  to: { type: account, doc: 'The receiver; absent if it comes from a lookup table' },
  amount: { type: t.int, doc: 'Lamports' },
});

const splTransfer = t.struct('SolanaTokenTransfer', {
  from: { type: account, doc: 'The sending token account; absent if it comes from a lookup table' },
  to: { type: account, doc: 'The receiving token account; absent if it comes from a lookup table' },
  amount: { type: t.int, doc: 'The amount in the smallest unit of the token' },
  owner: { type: account, doc: 'The owner of the sending token account' },
  signers: { type: t.list(account), doc: 'The signers, when the owner is a multisig' },
  token_mint: {
    type: t.address('solana', [LOOKED_UP, '']),
    doc: 'The token; empty for a plain Transfer, which does not name it',
  },
});

/**
 * `solana.tx`: a Solana message. It lists the transfers of top-level instructions. A message whose other instructions may also move value
 * has no list of transfers.
 */
const transaction = t.struct('SolanaTransaction', {
  account_keys: { type: t.list(account), doc: 'The accounts in the message; absent if further ones come from lookup tables' },
  fee_payer: { type: t.address('solana'), doc: 'The account that pays the fee, the first of the message' },
  max_fee: {
    type: t.int,
    doc: 'The most that the fee payer pays for signatures and priority, in lamports. Rent is not part of it',
  },
  program_keys: { type: t.list(t.address('solana')), doc: 'The programs that top-level instructions call' },
  instructions: { type: t.list(instruction), doc: 'The top-level instructions' },
  transfers: { type: t.list(transfer), doc: 'Transfers of the System program' },
  spl_transfers: { type: t.list(splTransfer), doc: 'Transfers of the Token and Token-2022 programs' },
  recent_blockhash: { type: t.string, doc: 'The recent block hash, or the nonce' },
  address_table_lookups: { type: t.list(addressTableLookup), doc: 'The lookup tables that the message uses' },
});

export const solana: ChainSchema = {
  namespaces: [
    transactionNamespace(
      'solana.tx',
      transaction,
      {
        doc: 'The Solana transaction to sign',
        example: 'solana.tx.transfers.count() == 1 && solana.tx.transfers[0].amount <= 0.1 SOL',
        unsigned: true,
      },
      ['SOL_SEND_TRANSACTION'],
    ),
  ],
  units: [
    { name: 'SOL', decimals: 9, doc: 'The coin of Solana', example: 'solana.tx.transfers.all(t, t.amount <= 0.1 SOL)' },
    {
      name: 'lamports',
      decimals: 0,
      doc: 'The base unit of Solana',
      example: 'solana.tx.transfers.all(t, t.amount >= 1000 lamports)',
    },
  ],
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  hexFields: { prefixed: [], bare: ['SolanaInstruction.instruction_data_hex', 'SolanaParsedInstruction.discriminator'] },
  tokenFields: ['SolanaTokenTransfer.token_mint'],
  address: {},
};
