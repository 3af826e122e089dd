import { openSolver } from '../../src/policy/solver.ts';
import { judged, type RealRequest, requestsOf, signedRequests } from './real-requests.ts';
import { type FuzzResult, fuzzProofs } from './soundness.ts';

/** Requests of every chain and of every activity that policies decide. */
export function allRequests(each: number, seed: number): readonly RealRequest[] {
  const others = judged.filter(({ policy }) => policy.action !== 'SIGN');
  return [...signedRequests(), ...others.flatMap((definition) => requestsOf(definition, each, seed))];
}

/** The figures of a run, one line for each kind of activity and chain. */
export function linesOf({ tallies, unknown, unsound }: FuzzResult): readonly string[] {
  const shown = [...tallies].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...shown.map(
      ([name, { questions, PROVEN, REFUTED, UNKNOWN, tried }]) =>
        `${name}: ${questions} questions, ${PROVEN} proven, ${REFUTED} refuted, ${UNKNOWN} unknown, ${tried} requests tried`,
    ),
    `unknown: ${[...unknown].map(([reason, count]) => `${reason} ${count}`).join(', ')}`,
    ...unsound.map((each) => `UNSOUND ${JSON.stringify(each)}`),
  ];
}

/** Asks random questions and writes the figures. Throws if a proof does not hold. */
export async function fuzz(questions: number, seed: number): Promise<void> {
  const solver = await openSolver();
  try {
    const progress = (done: number) => (done % 500 === 0 ? console.log(`prove: ${done} questions`) : undefined);
    const result = await fuzzProofs({ questions, seed, solver, requests: allRequests(3, seed), progress });
    for (const line of linesOf(result)) console.log(line);
    if (result.unsound.length > 0) throw new Error(`${result.unsound.length} answers are wrong, from seed ${seed}`);
  } finally {
    await solver.close();
  }
}
