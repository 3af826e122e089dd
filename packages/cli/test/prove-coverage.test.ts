import { activityKind } from '@countersign/contract';
import type { Solver } from '@countersign/judgement';
import { type JudgedOrganization, policyOptionsOf } from '@countersign/judgement';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileExpression } from '../../policy/src/expression.ts';
import { openSolver } from '../src/policy/solver.ts';
import { allRequests } from './prove/fuzz.ts';
import { approvals, judge, makeOrganization, offlineWorldOf, provenActivity, requestOf } from './prove/proof-world.ts';
import type { RealRequest } from './prove/real-requests.ts';
import { fuzzProofs, isCovered } from './prove/soundness.ts';

const where: JudgedOrganization = makeOrganization(['0x388c818ca8b9251b393131c08a736a67ccb19297']);
const requests = allRequests(1, 1);

/** One request of each kind, chain and way to sign, and those with receivers that are no addresses. */
const chosen = [
  ...new Map(
    requests.map((each) => {
      const receivers = (each.subject.parsed?.effects ?? []).flatMap((effect) => ('to' in effect ? (effect.to ?? []) : []));
      const words = receivers.filter((to) => /^[A-Z_]+$/.test(to)).join();
      const format = each.subject.key?.kind === 'walletAccount' ? each.subject.key.body.addressFormat : '';
      const raw = each.chain === 'raw' ? format : '';
      return [`${activityKind(each.type)} ${each.chain} ${words} ${raw}`, each] as const;
    }),
  ),
];

describe('proofs', () => {
  let solver: Solver;
  beforeAll(async () => {
    solver = await openSolver();
  });
  afterAll(() => solver?.close());

  const covers = (real: RealRequest, texts: readonly string[] = []) => {
    const request = requestOf(judge(where, real, approvals[3] ?? [], true));
    const world = offlineWorldOf(where, provenActivity(real.definition, activityKind(real.type)));
    const expressions = texts.flatMap((text) => compileExpression(text, 'condition', policyOptionsOf(where)).expression ?? []);
    return isCovered(where, { request }, { expressions }, world, solver);
  };

  test('D420, D421, D422: cover a request of every kind of activity, chain and address format, with all its values', async () => {
    expect(new Set(chosen.map(([, { type }]) => activityKind(type))).size).toBeGreaterThan(85);
    const left: string[] = [];
    for (const [name, real] of chosen) if (!(await covers(real))) left.push(name);
    expect(left).toEqual([]);
  });

  test('a request that does not exist is not covered', async () => {
    const [real] = requests as [RealRequest];
    const { parsed } = real.subject;
    if (parsed === undefined) throw new Error('the first request is no transaction');
    const changed = {
      ...real,
      subject: { ...real.subject, parsed: { ...parsed, policy: { ...parsed.policy, type: 'TYPE_9' } } },
    };
    expect([await covers(real), await covers(changed)]).toEqual([true, false]);
  });

  test('D95, D96: no proof of 200 is refuted by a real request, and no counterexample by the service', async () => {
    const { unsound } = await fuzzProofs({ questions: Number(process.env.PROOF_QUESTIONS ?? 200), seed: 7, solver, requests });
    expect(unsound).toEqual([]);
  });
});
