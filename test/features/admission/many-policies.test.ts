import { readFileSync } from 'node:fs';
import { activities } from '@countersign/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childrenOf } from '../../faults/fault/support/command-process.ts';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { createPrivateKey, createSubOrganization, errorOf, madeUpId, signParams, userParams } from '../../support/world.ts';
import { createOrganization, memberAt, type Organization, policyParams } from '../policies/support.ts';
import { limitSignatures } from '../usage/support.ts';

const POLICIES = 3_000;
const POLICIES_AT_ONCE = 100;
const MEBIBYTE = 1_048_576;

let installation: Installation;
let serving: Serving;
/** The organization with very many policies, none of which concerns its first member. */
let crowded: Organization;
let key: string;
/** A legitimate tenant beside it. */
let neighbour: Caller;
let neighbourKey: string;

beforeAll(async () => {
  installation = await engines.sqlite();
  const rates = ['address', 'credential', 'organization'].flatMap((who) => [`--requests-per-${who}`, '0']);
  serving = await serve(placeOf(installation), ['--workers', '2', '--max-policies', String(2 * POLICIES), ...rates]);
  neighbour = (await createSubOrganization(serving.root)).caller;
  neighbourKey = await createPrivateKey(neighbour);
  crowded = await createOrganization(serving.root, { members: 2 });
  key = await createPrivateKey(crowded.root);
  await limitSignatures(crowded.root, { threshold: '1000000' });
  for (let made = 0; made < POLICIES; made += POLICIES_AT_ONCE) {
    const policies = Array.from({ length: POLICIES_AT_ONCE }, () =>
      policyParams('ALLOW', {
        condition: "activity.action == 'SIGN' && controls.few",
        consensus: `approvers.any(user, user.id == '${madeUpId()}')`,
      }),
    );
    await crowded.root.result('createPolicies', { policies });
  }
});
afterAll(async () => {
  expect(serving?.stderr()).toBe('');
  await serving?.kill();
  await installation?.remove();
});

const neighbourSigns = async () => (await neighbour.submit('signRawPayload', signParams(neighbourKey))).status;

/** Repeats an attack in parallel loops while the neighbour signs. Returns the median of the attacks that completed per signature. */
async function attacksPerSignature(parallel: number, attack: () => Promise<void>): Promise<number> {
  let isOver = false;
  let completed = 0;
  const loops = Array.from({ length: parallel }, async () => {
    while (!isOver) {
      await attack();
      completed += 1;
    }
  });
  const steps: number[] = [];
  for (let signed = 0; signed < 20; signed++) {
    const before = completed;
    expect(await neighbourSigns()).toBe(200);
    steps.push(completed - before);
  }
  isOver = true;
  await Promise.all(loops);
  expect(completed).toBeGreaterThan(0);
  return steps.sort((a, b) => a - b)[10] as number;
}

/** The resident memory of the server's processes together. */
function residentBytes(): number {
  const rssOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return [serving.pid, ...childrenOf(serving.pid)].reduce((sum, pid) => sum + rssOf(pid) * 1024, 0);
}

/** A request that is denied early: long, and from a user without any rights. */
async function sendDenied(name: string): Promise<void> {
  const { caller } = memberAt(crowded, 0);
  const users = [{ ...userParams(), userName: name }];
  expect(errorOf(await caller.submit('createUsers', { users }))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
}

test('D236: requests without rights in an organization with very many policies do not keep a neighbour waiting', async () => {
  expect(await attacksPerSignature(8, () => sendDenied('x'.repeat(8_000)))).toBeLessThan(40);
  await limitSignatures(crowded.root, { threshold: '5', identifier: 'another' });
  expect((await crowded.root.submit('signRawPayload', signParams(key))).status).toBe(200);
});

test('D173: the memory of denied long requests is released', async () => {
  const send = () => sendDenied('x'.repeat(900_000));
  for (let sent = 0; sent < 30; sent++) await send();
  const before = residentBytes();
  for (let sent = 0; sent < 400; sent += 4) await Promise.all([send(), send(), send(), send()]);
  // Their bodies alone are 343 MiB.
  expect((residentBytes() - before) / MEBIBYTE).toBeLessThan(250);
  expect(await neighbourSigns()).toBe(200);
});

test('D177: backtests in an organization with very many policies do not keep a neighbour waiting', async () => {
  const backtest = async () => {
    const { total }: Json = await crowded.root.data('backtestPolicies', { limit: 50 });
    expect(total).toBeGreaterThan(0);
  };
  expect(await attacksPerSignature(2, backtest)).toBeLessThan(10);
});

test('D240: policies with very many people and activities take memory for each literal only', async () => {
  const member = memberAt(crowded, 1);
  const people = [...Array.from({ length: 700 }, madeUpId), member.userId].map((id) => `'${id}'`).join(',');
  const types = Object.values(activities).map(({ type }) => `'${type}'`);
  const before = residentBytes();
  for (let made = 0; made < 30; made++) {
    const policy = policyParams('ALLOW', {
      condition: `activity.type in [${types.join(',')}]`,
      consensus: `approvers.any(user, user.id in [${people}])`,
    });
    await crowded.root.result('createPolicy', policy);
  }
  expect((await member.caller.submit('signRawPayload', signParams(key))).status).toBe(200);
  // 30 policies with about 100,000 pairs of a person and an activity each would take more.
  expect((residentBytes() - before) / MEBIBYTE).toBeLessThan(200);
  expect(await neighbourSigns()).toBe(200);
});
