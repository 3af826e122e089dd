import { associatedTokenProgram } from './associated-token.ts';
import { computeBudgetProgram } from './compute-budget.ts';
import type { ProgramSpec } from './instruction-spec.ts';
import { memoProgram } from './memo.ts';
import { stakeProgram } from './stake.ts';
import { systemProgram } from './system.ts';
import { tokenProgram } from './token.ts';
import { token2022Program } from './token-2022.ts';

const builtIn = [
  systemProgram,
  tokenProgram,
  token2022Program,
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  stakeProgram,
];

/** The built-in programs, by key. They need no stored interface. */
export const programs: ReadonlyMap<string, ProgramSpec> = new Map(
  builtIn.flatMap((program) => program.keys.map((programKey) => [programKey, program] as const)),
);
