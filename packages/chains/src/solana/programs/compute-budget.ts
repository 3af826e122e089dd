import { type InstructionSpec, type ProgramSpec, u32, u64 } from './instruction-spec.ts';

/** The limits move nothing. The fee of the whole transaction includes their cost. */
const limit = (name: string, tag: number, args: InstructionSpec['args']): InstructionSpec => ({
  name,
  tag: [tag],
  ...(args && { args }),
  moves: 'none',
  effects: () => [],
});

/** Compute limits and price: https://docs.rs/solana-compute-budget-interface ComputeBudgetInstruction. */
export const computeBudgetProgram: ProgramSpec = {
  name: 'Compute Budget',
  keys: ['ComputeBudget111111111111111111111111111111'],
  instructions: [
    limit('requestHeapFrame', 1, { bytes: u32 }),
    limit('setComputeUnitLimit', 2, { units: u32 }),
    limit('setComputeUnitPrice', 3, { microLamports: u64 }),
    limit('setLoadedAccountsDataSizeLimit', 4, { bytes: u32 }),
  ],
};
