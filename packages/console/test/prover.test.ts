import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Client } from '@countersign/client';
import type { PolicyShape, UserShape } from '@countersign/contract';
import { toProperty } from '@countersign/judgement';
import { afterEach, describe, expect, test, vi } from 'vitest';
import manifest from '../../cli/package.json' with { type: 'json' };
import { type PropertyAnswers, propertiesOf, TRANSACTIONS } from '../src/pages/policies/prover/property.ts';
import { PolicyGoneError, readOrganization, toPolicyUser, withDraft } from '../src/pages/policies/prover/read-organization.ts';
import { verdictOf } from '../src/pages/policies/prover/verdict.ts';
import type { ProofOrder, ProverReport } from '../src/prover/messages.ts';
import { runProof } from '../src/prover/run-proof.ts';
import { z3Files } from '../src/prover/z3-files.ts';

const dates = { createdAt: { seconds: '1', nanos: '0' }, updatedAt: { seconds: '1', nanos: '0' } };
const policy = (more: Partial<PolicyShape>): PolicyShape => ({
  policyId: 'a',
  policyName: 'a',
  effect: 'EFFECT_ALLOW',
  condition: 'true',
  consensus: 'true',
  notes: '',
  ...dates,
  ...more,
});
const draft = { policyName: 'draft', effect: 'EFFECT_DENY', condition: 'eth.tx.value > 1', consensus: '', notes: '' } as const;

test('D1062: the solver that browsers accept is the pinned one', () => {
  const folder = new URL(`file://${createRequire(import.meta.url).resolve('z3-solver/package.json')}`);
  expect(JSON.parse(readFileSync(folder, 'utf8')).version).toBe(manifest.optionalDependencies['z3-solver']);
  for (const [name, expected] of Object.entries(z3Files)) {
    const content = readFileSync(new URL(`build/${name}`, folder));
    expect(createHash('sha256').update(content).digest('hex')).toBe(expected);
  }
});

describe('D1064: a proof is about the policies as they would be saved', () => {
  test('the draft replaces its policy, and keeps the times at which it applies', () => {
    const stored = [policy({}), policy({ policyId: 'b', time: "time.now < timestamp('2030-01-01T00:00:00Z')", language: 1 })];
    const [a, b] = withDraft(stored, draft, 'b');
    expect(a).toMatchObject({ id: 'a', effect: 'EFFECT_ALLOW' });
    expect(b).toMatchObject({
      id: 'b',
      effect: 'EFFECT_DENY',
      condition: 'eth.tx.value > 1',
      time: stored[1]?.time,
      language: 3,
    });
    expect(withDraft(stored, draft, undefined).map(({ id }) => id)).toEqual(['a', 'b', 'draft']);
    expect(() => withDraft(stored, draft, 'c')).toThrow(PolicyGoneError);
  });

  test('another policy keeps the meaning of the language in which it is stored', () => {
    const old = policy({ policyId: 'b', condition: "activity.params.wallet_id == 'w'", language: 1 });
    const [b] = withDraft([old], draft, undefined);
    expect(b).toMatchObject({
      condition: "(activity.params.wallet_id == 'w') && activity.kind in ['UPDATE_WALLET']",
      language: 1,
    });
  });

  test('a shortened policy and a shortened user are read whole', async () => {
    const cut = { fields: ['condition'], query: 'get_policy' };
    const asked: string[] = [];
    const answers: Record<string, object> = {
      listPolicies: { policies: [policy({ condition: '', shortened: cut })] },
      getPolicy: { policy: policy({ condition: 'eth.tx.value < 5' }) },
      listUsers: { users: [user({ shortened: cut, userTags: [] })] },
      getUser: { user: user({ userTags: ['t'] }) },
      getOrganization: { organizationData: { rootQuorum: { threshold: 1, userIds: ['u'] } } },
    };
    const reader = new Proxy(
      {},
      {
        get: (_, name: string) => async () => {
          asked.push(name);
          return answers[name];
        },
      },
    ) as unknown as Client;
    const about = { draft, policyId: undefined, tags: [{ id: 't', name: 'Treasury', kind: 'user tag' as const }] };
    await readOrganization(reader, about);
    const { policies, users, assumedUsers } = await readOrganization(reader, about);
    expect(policies[0]).toMatchObject({ condition: 'eth.tx.value < 5' });
    expect(users).toMatchObject([{ id: 'u', tags: ['t'] }]);
    expect(assumedUsers).toMatchObject([{ tags: ['Treasury'] }]);
    // Nothing came from the cache.
    expect(asked.filter((name) => name === 'listPolicies' || name === 'listUsers')).toHaveLength(4);
  });

  test('an unverified e-mail address is no attribute of a user', () => {
    expect(toPolicyUser(user({})).email).toBe('u@example.com');
    const since = { seconds: '1', nanos: '0' };
    expect(toPolicyUser(user({ userEmailVerification: { how: 'UNVERIFIED', since } })).email).toBeUndefined();
    expect(toPolicyUser(user({})).credentials).toMatchObject([
      { id: 'k', type: 'CREDENTIAL_TYPE_API_KEY_P256', publicKey: '02' },
    ]);
  });
});

function user(more: Partial<UserShape>): UserShape {
  const credential = { publicKey: '02', type: 'CREDENTIAL_TYPE_API_KEY_P256' } as const;
  return {
    userId: 'u',
    userName: 'Ann',
    userEmail: 'u@example.com',
    authenticators: [],
    apiKeys: [{ apiKeyId: 'k', apiKeyName: 'key', credential, ...dates }],
    userTags: [],
    oauthProviders: [],
    ...dates,
    ...more,
  };
}

const answers: PropertyAnswers = {
  what: 'amount',
  asset: 'ETH',
  amount: '1.5',
  contactTag: "o'clock",
  addresses: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n0x52908400098527886E0F7030069857D2E4169EE7',
  who: 'nobody',
  approvals: 2,
  tagId: '0195e0a0-0000-7000-8000-000000000001',
  forbid: 'eth.tx.value > 1',
  unless: 'approvers.count() >= 2',
  activity: TRANSACTIONS,
};

test('each form of a property writes expressions that the command line accepts', () => {
  const tags = [{ id: answers.tagId, name: 'Treasury', kind: 'user tag' as const }];
  const whats = ['amount', 'strangers', 'outsideTag', 'notListed', 'unlimited', 'notUnderstood', 'anything', 'own'] as const;
  for (const what of whats)
    for (const who of ['nobody', 'count', 'tag', 'own'] as const) {
      const properties = propertiesOf({ ...answers, what, who }, tags);
      expect(properties.length).toBe(7);
      for (const property of properties) expect(() => toProperty(property)).not.toThrow();
      expect(properties[0]?.unless === undefined).toBe(who === 'nobody');
    }
  expect(propertiesOf({ ...answers, activity: 'EXPORT_WALLET' }, tags).map(({ activity }) => activity)).toEqual([
    'EXPORT_WALLET',
  ]);
  expect(propertiesOf({ ...answers, asset: 'eip155:1/slip44:60', amount: '5' }, tags)[0]?.forbid).toBe(
    "!tx.understood || effects.any(e, (e.kind == 'TRANSFER' || (e.kind == 'CREATE' && e.asset_kind == 'COIN')) && e.asset == 'eip155:1/slip44:60' && e.amount > 5)",
  );
});

describe('D1063: whatever fails is unknown, and never proven', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  const order: ProofOrder = {
    policies: [],
    users: [],
    rootQuorum: { threshold: 1, userIds: [] },
    properties: [{ name: 'p', forbid: 'true', activity: 'SIGN_TRANSACTION' }],
    listSize: 3,
    timeoutMs: 10_000,
  };
  const proven = { name: 'p', activity: 'SIGN_TRANSACTION', milliseconds: 1, verdict: 'PROVEN', assumes: [] } as const;
  const unknown = { ...proven, verdict: 'UNKNOWN', reason: 'TIME', explanation: '', parts: [] } as const;
  const refuted = { ...proven, verdict: 'REFUTED', counterExample: { policies: [], by: '', approvers: [], fields: {} } } as const;

  test('the verdict on several kinds is proven only if each is', () => {
    const of = (...results: (typeof proven | typeof unknown | typeof refuted)[]) => verdictOf({ kind: 'RESULTS', results });
    expect([of(), of(unknown), of(proven, unknown)]).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN']);
    expect([of(proven, refuted), of(unknown, refuted)]).toEqual(['REFUTED', 'REFUTED']);
    expect(of(proven, proven)).toBe('PROVEN');
    expect(verdictOf({ kind: 'FAILED', reason: 'MEMORY', detail: '' })).toBe('UNKNOWN');
  });

  /** A worker that the test speaks for. */
  function fakeWorker() {
    const listeners = new Map<string, (event: object) => void>();
    const state = { ended: false };
    vi.stubGlobal('crossOriginIsolated', true);
    vi.stubGlobal('document', { baseURI: 'https://countersign.example/console/' });
    vi.stubGlobal('window', {});
    vi.stubGlobal(
      'Worker',
      class {
        addEventListener(type: string, listener: (event: object) => void) {
          listeners.set(type, listener);
        }
        postMessage() {}
        terminate() {
          state.ended = true;
        }
      },
    );
    const report = (data: ProverReport) => listeners.get('message')?.({ data });
    return { state, report, crash: () => listeners.get('error')?.({ message: 'out of memory' }) };
  }

  test('a page without shared memory starts no worker', async () => {
    vi.stubGlobal('crossOriginIsolated', false);
    expect(await runProof(order, new AbortController().signal, () => {})).toMatchObject({
      kind: 'FAILED',
      reason: 'NOT_ISOLATED',
    });
  });

  test('a worker that crashes or hangs is ended', async () => {
    const first = fakeWorker();
    const crashed = runProof(order, new AbortController().signal, () => {});
    first.crash();
    expect(await crashed).toEqual({ kind: 'FAILED', reason: 'CRASHED', detail: 'out of memory' });
    expect(first.state.ended).toBe(true);
    vi.useFakeTimers();
    const second = fakeWorker();
    const hanging = runProof(order, new AbortController().signal, () => {});
    second.report({ kind: 'LOADING' });
    second.report({ kind: 'SOLVING' });
    await vi.advanceTimersByTimeAsync(10 * 15_000);
    expect(await hanging).toMatchObject({ kind: 'FAILED', reason: 'TIME' });
    expect(second.state.ended).toBe(true);
  });

  test('a stopped proof has no outcome, also if the worker answers late', async () => {
    const { state, report } = fakeWorker();
    const stop = new AbortController();
    const steps: string[] = [];
    let outcome: object | undefined;
    void runProof(order, stop.signal, (step) => steps.push(step)).then((each) => {
      outcome = each;
    });
    report({ kind: 'LOADING' });
    stop.abort();
    expect(state.ended).toBe(true);
    report({ kind: 'RESULTS', results: [proven] });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect({ outcome, steps }).toEqual({ outcome: undefined, steps: ['LOADING'] });
  });
});
