import { formatSol } from './format-sol.ts';
import type { Message } from './message.ts';
import { computeBudgetProgram, priorityFee } from './programs/compute-budget.ts';
import type { ReadInstruction } from './read-instruction.ts';

/** The whole transaction in words, from one signer's point of view. Compute limits appear as what they may cost. */
export function describeTransaction(message: Message, instructions: readonly ReadInstruction[], signerKey: string): string {
  const budget = new Map(instructions.filter(setsBudget).flatMap(({ call }) => [...(call?.args ?? [])]));
  const parts = instructions.filter((read) => !setsBudget(read)).map(({ description }) => description);
  if (parts.length === 0) parts.push('set compute limits and nothing else');

  const price = budget.get('microLamports');
  const limit = budget.get('units');
  if (typeof price === 'bigint' && price > 0n) {
    const fee = priorityFee(price, typeof limit === 'bigint' ? limit : undefined);
    parts.push(`pay a priority fee of at most ${formatSol(fee)}`);
  }
  if (message.accountKeys[0] !== signerKey) parts.push(`the fee is paid by ${message.accountKeys[0]}`);
  if (message.lookups.length > 0) parts.push('some accounts are hidden in lookup tables');
  return parts.join('; ');
}

function setsBudget({ instruction, call }: ReadInstruction): boolean {
  return call !== undefined && computeBudgetProgram.keys.includes(instruction.programKey);
}
