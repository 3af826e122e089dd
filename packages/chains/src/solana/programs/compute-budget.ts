import { type ProgramSpec, u32, u64 } from './instruction-spec.ts';

const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;
const MAX_COMPUTE_UNITS = 1_400_000n;

/** Compute limits and price: https://docs.rs/solana-compute-budget-interface ComputeBudgetInstruction. */
export const computeBudgetProgram: ProgramSpec = {
  name: 'Compute Budget',
  keys: ['ComputeBudget111111111111111111111111111111'],
  instructions: [
    {
      name: 'requestHeapFrame',
      tag: [1],
      args: { bytes: u32 },
      effect: 'none',
      describe: (call) => `request a heap of ${call.amount('bytes')} bytes`,
    },
    {
      name: 'setComputeUnitLimit',
      tag: [2],
      args: { units: u32 },
      effect: 'none',
      describe: (call) => `limit compute to ${call.amount('units')} units`,
    },
    {
      name: 'setComputeUnitPrice',
      tag: [3],
      args: { microLamports: u64 },
      effect: 'none',
      describe: (call) => `pay ${call.amount('microLamports')} micro-lamports per compute unit`,
    },
    {
      name: 'setLoadedAccountsDataSizeLimit',
      tag: [4],
      args: { bytes: u32 },
      effect: 'none',
      describe: (call) => `load at most ${call.amount('bytes')} bytes of accounts`,
    },
  ],
};

/** The highest cost of a compute unit price in lamports: price times limit, or times the largest possible limit. */
export function priorityFee(microLamportsPerUnit: bigint, unitLimit: bigint = MAX_COMPUTE_UNITS): bigint {
  const units = unitLimit < MAX_COMPUTE_UNITS ? unitLimit : MAX_COMPUTE_UNITS;
  return (microLamportsPerUnit * units + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
}
