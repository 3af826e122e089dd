import type { Client } from '@countersign/client';
import { proveAll, toProperty } from '@countersign/judgement';
import { expect, test } from 'vitest';
import { openSolver } from '../../cli/src/policy/solver.ts';
import { type PropertyAnswers, propertiesOf } from '../src/pages/policies/prover/property.ts';
import { readOrganization, withAnyCredential } from '../src/pages/policies/prover/read-organization.ts';

const answers: PropertyAnswers = {
  what: 'strangers',
  asset: 'ETH',
  amount: '10',
  contactTag: 'vendors',
  addresses: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  who: 'nobody',
  approvals: 2,
  tagId: '',
  forbid: '',
  unless: '',
  activity: 'SIGN_TRANSACTION',
};
const passkey = { id: 'p', userId: 'ann', type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR', publicKey: '02' };
const ann = { id: 'ann', alias: 'Ann', tags: [], credentials: [passkey] };

async function verdictOn(more: Partial<PropertyAnswers>, condition: string, consensus?: string) {
  const properties = propertiesOf({ ...answers, ...more }, []);
  const users = withAnyCredential([ann], [consensus, ...properties.flatMap(({ forbid, unless }) => [forbid, unless])]);
  const task = { users, rootQuorum: { threshold: 1, userIds: ['root'] }, properties: properties.map(toProperty) };
  const policy = { id: 'p', effect: 'EFFECT_ALLOW', condition, ...(consensus !== undefined && { consensus }) } as const;
  const results = await proveAll([policy], task, { listSize: 3, includeRoot: false, timeoutMs: 60_000 }, openSolver);
  return results.map(({ verdict }) => verdict).join();
}

test.each([
  ['strangers', "effects.all(e, e.kind == 'FEE' || e.to in contacts.all)"],
  ['outsideTag', "effects.all(e, e.kind == 'FEE' || e.to in contacts.tagged('vendors'))"],
  ['notListed', "effects.all(e, e.kind == 'FEE' || e.to == '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')"],
  ['amount', "effects.all(e, e.kind == 'FEE' || e.asset == ETH && e.amount <= 1 ETH)"],
  ['unlimited', "effects.none(e, e.kind == 'ALLOWANCE' && e.unlimited)"],
] as const)('D1090: what is not understood may be what "%s" forbids', async (what, condition) => {
  expect(await verdictOn({ what }, condition)).toBe('REFUTED');
  expect(await verdictOn({ what }, `tx.understood && ${condition}`)).toBe('PROVEN');
});

test('D1090: a raw payload has no `tx`, and its effects are asked about', () => {
  expect(propertiesOf({ ...answers, activity: 'SIGN_RAW_PAYLOAD' }, [])[0]?.forbid).toBe(
    "effects.any(e, (e.kind == 'TRANSFER' || (e.kind == 'CREATE' && e.asset_kind == 'COIN')) && !(e.to in contacts.all))",
  );
});

const SOL = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501';
test.each([
  [{ what: 'strangers' }, 'e.to in contacts.all'],
  [{ what: 'outsideTag' }, "e.to in contacts.tagged('vendors')"],
  [{ what: 'notListed' }, "e.to == '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'"],
  [{ what: 'amount', asset: SOL, amount: '1000000000' }, `e.asset == '${SOL}' && e.amount <= 1000000000`],
] as const)('D1171: what a new account receives is a transfer: %o', async (more, rule) => {
  const condition = (kinds: string) => `tx.understood && effects.all(e, !(e.kind in [${kinds}]) || ${rule})`;
  expect(await verdictOn(more, condition("'TRANSFER'"))).toBe('REFUTED');
  expect(await verdictOn(more, condition("'TRANSFER', 'CREATE'"))).toBe('PROVEN');
  // An account that receives nothing is no transfer.
  const free = `tx.understood && effects.all(e, (e.kind == 'CREATE' && e.asset_kind != 'COIN') || (e.kind == 'TRANSFER' && ${rule}))`;
  expect(await verdictOn(more, free)).toBe('PROVEN');
});

test('D1091: a session or an API key of a person who has only a passkey is no passkey', async () => {
  const unless = `credentials.any(c, c.type == '${passkey.type}')`;
  const own = { what: 'own', forbid: 'tx.understood', who: 'own', unless } as const;
  expect(await verdictOn(own, 'true', "approvers.any(user, user.id == 'ann')")).toBe('REFUTED');
  for (const type of ['CREDENTIAL_TYPE_API_KEY_P256', 'CREDENTIAL_TYPE_LOGIN']) {
    const either = `approvers.any(user, user.id == 'ann') && credentials.any(c, c.type in ['${passkey.type}', '${type}'])`;
    expect(await verdictOn(own, 'true', either)).toBe('REFUTED');
  }
  expect(await verdictOn(own, 'true', unless)).toBe('PROVEN');
  expect(withAnyCredential([ann], ['approvers.count() >= 2', undefined])).toEqual([ann]);
});

test('D1092: each proof sends its own requests, and shows when they began', async () => {
  const pending: (() => void)[] = [];
  const empty: Record<string, object> = {
    listPolicies: { policies: [] },
    listUsers: { users: [] },
    getOrganization: { organizationData: { rootQuorum: { threshold: 1, userIds: [] } } },
  };
  const asked: string[] = [];
  const reader = new Proxy(
    {},
    {
      get: (_, name: string) => () => {
        asked.push(name);
        return new Promise((resolve) => pending.push(() => resolve(empty[name])));
      },
    },
  ) as unknown as Client;
  const draft = { policyName: 'd', effect: 'EFFECT_DENY', condition: 'true', consensus: '', notes: '' } as const;
  const about = { draft, policyId: undefined, tags: [] };
  const both = [readOrganization(reader, about), readOrganization(reader, about)];
  await Promise.resolve();
  expect(asked.filter((name) => name === 'listPolicies')).toHaveLength(2);
  const beganMs = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const answer of pending) answer();
  for (const { readAtMs } of await Promise.all(both)) expect(readAtMs).toBeLessThanOrEqual(beganMs);
});
