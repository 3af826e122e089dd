import type { Message } from './message.ts';
import { computeBudgetProgram } from './programs/compute-budget.ts';
import type { ReadInstruction } from './read-instruction.ts';

/** What the runtime takes for each signature, in lamports. */
const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/** agave, compute-budget: MAX_COMPUTE_UNIT_LIMIT and DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT. */
const MAX_COMPUTE_UNITS = 1_400_000n;
const UNITS_PER_INSTRUCTION = 200_000n;
/** SIMD-0170: compute units that an instruction of a built-in program reserves, including compute-budget instructions. */
const UNITS_PER_BUDGET_INSTRUCTION = 3_000n;

/** Programs whose instructions contain signatures. The first byte of their data is the number of signatures. */
const signaturePrograms: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);

/**
 * The most that the fee payer can be charged, in lamports: for signatures and for priority. Rent is not part of it.
 * The runtime refuses a message that sets a limit twice; here the highest one counts.
 */
export function maxFee(message: Message, instructions: readonly ReadInstruction[]): bigint {
  const carried = message.instructions.reduce((sum, { programKey, data }) => {
    return signaturePrograms.has(programKey) ? sum + BigInt(data[0] ?? 0) : sum;
  }, 0n);
  const signatures = BigInt(message.requiredSignatures) + carried;
  const price = highest(instructions, 'setComputeUnitPrice', 'microLamports') ?? 0n;
  const units = atMost(MAX_COMPUTE_UNITS, highest(instructions, 'setComputeUnitLimit', 'units') ?? defaultUnits(message));
  const priority = (price * units + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return signatures * LAMPORTS_PER_SIGNATURE + priority;
}

/**
 * The compute units of a message that sets no limit. Instructions of other built-in programs reserve less than this under
 * SIMD-0170. A policy needs an upper bound, so they count in full.
 */
function defaultUnits({ instructions }: Message): bigint {
  const budget = instructions.filter(({ programKey }) => computeBudgetProgram.keys.includes(programKey)).length;
  return BigInt(instructions.length - budget) * UNITS_PER_INSTRUCTION + BigInt(budget) * UNITS_PER_BUDGET_INSTRUCTION;
}

function highest(instructions: readonly ReadInstruction[], name: string, argument: string): bigint | undefined {
  let found: bigint | undefined;
  for (const { builtIn } of instructions) {
    if (builtIn?.spec.name !== name || !computeBudgetProgram.keys.includes(builtIn.programKey)) continue;
    const value = builtIn.amount(argument);
    if (found === undefined || value > found) found = value;
  }
  return found;
}

function atMost(bound: bigint, value: bigint): bigint {
  return value < bound ? value : bound;
}
