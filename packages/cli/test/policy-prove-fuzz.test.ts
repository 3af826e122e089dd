import { expect, test } from 'vitest';
import { openSolver } from '../src/policy/solver.ts';
import { allRequests, linesOf } from './prove/fuzz.ts';
import { fuzzProofs } from './prove/soundness.ts';

test('D95, D420, D421, D422: no proof is refuted by a real request, and no counterexample by the service', async () => {
  const solver = await openSolver();
  try {
    const questions = Number(process.env.PROOF_QUESTIONS ?? 100);
    const seed = Number(process.env.PROOF_SEED ?? Date.now() % 1_000_000);
    const result = await fuzzProofs({ questions, seed, solver, requests: allRequests(3, seed) });
    expect(result.unsound, `seed ${seed}\n${linesOf(result).join('\n')}`).toEqual([]);
    const sums = [...result.tallies.values()];
    expect(sums.reduce((sum, { PROVEN }) => sum + PROVEN, 0)).toBeGreaterThan(questions / 50);
    expect(sums.reduce((sum, { REFUTED }) => sum + REFUTED, 0)).toBeGreaterThan(questions / 10);
  } finally {
    await solver.close();
  }
}, 7_200_000);
