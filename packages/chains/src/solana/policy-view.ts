import type { PolicyValue } from '@countersign/policy';
import { bytesToHex } from '@noble/hashes/utils.js';
import { present } from '../shared/present.ts';
import type { InstructionAccount, Message, TableLookup } from './message.ts';
import type { Call } from './programs/instruction-spec.ts';
import type { ReadInstruction } from './read-instruction.ts';

type Fields = { readonly [field: string]: PolicyValue };

/**
 * The value of `solana.tx`.
 *
 * SECURITY: `transfers` and `spl_transfers` exist only when together they tell everything the transaction does with value and
 * rights. They are absent next to an approval, a change of authority, a durable nonce or a call that was not understood. Then
 * the condition "all transfers go to X" is an error. With an empty list it would be true.
 *
 * SECURITY: the key of an account from a lookup table is absent, so that comparing it is an error. A placeholder would differ from
 * every address, and a DENY on the address would not deny.
 */
export function policyView(message: Message, instructions: readonly ReadInstruction[], maxFee: bigint): Fields {
  const calls = instructions.flatMap(({ builtIn }) => builtIn ?? []);
  const complete = instructions.every(({ moves }) => moves !== 'other');
  const invoked = new Set(message.instructions.map(({ programKey }) => programKey));
  return {
    // A list without the accounts from tables would look complete, and "none of them is X" would be true.
    ...(message.lookups.length === 0 && { account_keys: message.accountKeys }),
    fee_payer: message.accountKeys[0] as string,
    max_fee: maxFee,
    program_keys: message.accountKeys.filter((accountKey) => invoked.has(accountKey)),
    recent_blockhash: message.recentBlockhash,
    instructions: instructions.map(instructionView),
    ...(complete && { transfers: calls.flatMap(lamportTransfer), spl_transfers: calls.flatMap(tokenTransfer) }),
    address_table_lookups: message.lookups.map(lookupView),
  };
}

function instructionView({ instruction, call }: ReadInstruction): Fields {
  return {
    program_key: instruction.programKey,
    accounts: instruction.accounts.map(accountView),
    instruction_data_hex: bytesToHex(instruction.data),
    address_table_lookups: usedLookups(instruction.accounts).map(lookupView),
    ...(call && {
      parsed_instruction_data: {
        instruction_name: call.name,
        discriminator: call.discriminatorHex,
        named_accounts: call.accounts,
        program_call_args: call.args,
      },
    }),
  };
}

function accountView({ key, signer, writable }: InstructionAccount): Fields {
  return key === undefined ? { signer, writable } : { account_key: key, signer, writable };
}

function lamportTransfer(call: Call): Fields[] {
  const roles = call.spec.transfer;
  if (roles?.kind !== 'lamports') return [];
  return [{ ...present({ from: call.account(roles.from), to: call.account(roles.to) }), amount: call.amount(roles.amount) }];
}

function tokenTransfer(call: Call): Fields[] {
  const roles = call.spec.transfer;
  if (roles?.kind !== 'tokens') return [];
  return [
    {
      ...present({
        from: call.account(roles.from),
        to: call.account(roles.to),
        owner: call.account(roles.owner),
        // A plain Transfer does not name its mint. The policy reference defines that as an empty text.
        token_mint: roles.mint === undefined ? '' : call.account(roles.mint),
      }),
      amount: call.amount(roles.amount),
      signers: call.extraSigners,
    },
  ];
}

/** The message's lookups that one instruction uses, in order of use. */
function usedLookups(accounts: readonly InstructionAccount[]): TableLookup[] {
  const tables = new Map<string, { writableIndexes: number[]; readonlyIndexes: number[] }>();
  for (const { lookup, writable } of accounts) {
    if (lookup === undefined) continue;
    const used = tables.get(lookup.tableKey) ?? { writableIndexes: [], readonlyIndexes: [] };
    (writable ? used.writableIndexes : used.readonlyIndexes).push(lookup.index);
    tables.set(lookup.tableKey, used);
  }
  return [...tables].map(([tableKey, used]) => ({ tableKey, ...used }));
}

function lookupView({ tableKey, writableIndexes, readonlyIndexes }: TableLookup): Fields {
  return {
    address_table_key: tableKey,
    writable_indexes: writableIndexes.map(BigInt),
    readonly_indexes: readonlyIndexes.map(BigInt),
  };
}
