import { finished } from '@countersign/collections';
import {
  type Holder,
  type HostileChain,
  type JudgedAccount,
  organizationOf,
  POLICY_LANGUAGE,
  type PolicyRecord,
  type TriedRequest,
  worstCaseInSteps,
} from '@countersign/judgement';
import { StepBudget } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { type Member, uniqueName } from '../../support/world.ts';
import { importSecrets } from '../secrets/secret-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import {
  createOrganization,
  detailsOf,
  memberAt,
  type Organization,
  policyParams,
  recordedAttempt,
  submitPending,
  userIs,
} from './support.ts';

const formats: { readonly [C in HostileChain]: readonly [curve: string, path: string, format: string] } = {
  ethereum: ['CURVE_SECP256K1', "m/44'/60'/0'/0/0", 'ADDRESS_FORMAT_ETHEREUM'],
  solana: ['CURVE_ED25519', "m/44'/501'/0'/0'", 'ADDRESS_FORMAT_SOLANA'],
  tron: ['CURVE_SECP256K1', "m/44'/195'/0'/0/0", 'ADDRESS_FORMAT_TRON'],
  bitcoin: ['CURVE_SECP256K1', "m/86'/0'/0'/0/0", 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'],
};
const chains = Object.keys(formats) as HostileChain[];

/** A wallet with an account on every chain, as it is stored. */
async function newHolder(root: Caller): Promise<Holder> {
  const walletName = uniqueName('Wallet');
  const accounts = chains.map((chain) => {
    const [curve, path, addressFormat] = formats[chain];
    return { curve, pathFormat: 'PATH_FORMAT_BIP32', path, addressFormat };
  });
  const { walletId } = await root.result('createWallet', { walletName, accounts });
  const listed: Json[] = (await root.data('listWalletAccounts', { walletId })).accounts;
  const dates = { createdAtMs: 0, updatedAtMs: 0 };
  const keys = chains.map((chain): [HostileChain, JudgedAccount] => {
    const found = listed.find(({ addressFormat }) => addressFormat === formats[chain][2]);
    const { walletAccountId: id, curve, path, addressFormat, address, publicKey } = found ?? {};
    return [chain, { kind: 'walletAccount', id, body: { ...dates, walletId, curve, path, addressFormat, address, publicKey } }];
  });
  const wallet = { kind: 'wallet', id: walletId, body: { ...dates, walletName, exported: false, imported: false } } as const;
  return { wallet, keys: Object.fromEntries(keys) as Holder['keys'], home: 'ethereum' };
}

/** Conditions whose guards, effects, contacts and attributes decide. */
const conditions: Readonly<Record<string, (scene: { tagId: string }) => string>> = {
  'every signature': () => "activity.action == 'SIGN'",
  'payments to contacts': () =>
    "tx.understood && effects.all(e, e.kind in ['TRANSFER', 'FEE']) && effects.filter(e, e.kind == 'TRANSFER').all(e, e.to in contacts.tagged('vendors'))",
  'a receiver that is excluded, so that creations must be named': () =>
    "eth.tx.chain_id == 1 && eth.tx.to != '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'",
  'all creations and updates, without the resources that must be named': () => "activity.action in ['CREATE', 'UPDATE']",
  'deletions and exports': () => "activity.action in ['DELETE', 'EXPORT']",
  'policies and credentials by name': () => "activity.resource in ['POLICY', 'CREDENTIAL']",
  'one tag by name': ({ tagId }) =>
    `activity.kind == 'UPDATE_USER' && activity.params.user_tag_ids.all(each, each == '${tagId}')`,
};

const nameOf = (type: string) =>
  type.includes('TRANSACTION') ? 'signTransaction' : type.endsWith('PAYLOADS') ? 'signRawPayloads' : 'signRawPayload';

describeEngines('worst cases', (subject) => {
  interface Stage {
    readonly organization: Organization;
    readonly member: Member;
    readonly other: Member;
    readonly holder: Holder;
    readonly tagId: string;
  }

  async function newStage(): Promise<Stage> {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { root } = organization;
    const [member, other] = [memberAt(organization, 0), memberAt(organization, 1)];
    const tag = { userTagName: uniqueName('Tag'), userIds: [] };
    const { userTagId: tagId } = await root.result('createUserTag', tag);
    // A policy trusts the tag.
    await root.result(
      'createPolicy',
      policyParams('ALLOW', {
        condition: "activity.kind == 'CREATE_WALLET'",
        consensus: `approvers.any(u, u.tags.contains('${tagId}'))`,
      }),
    );
    await root.result('createContacts', {
      contacts: [{ label: 'ACME', address: `0x${'66'.repeat(20)}`, contactTags: ['vendors'] }],
    });
    return { organization, member, other, tagId, holder: await newHolder(root) };
  }

  /** Every request of the corpus, with things of this organization, and whether the finder says that the policy allows it. */
  async function tryAll({ organization, other, holder, tagId }: Stage, policyId: string): Promise<readonly TriedRequest[]> {
    const { root, roots } = organization;
    const policies: Json[] = (await root.data('listPolicies')).policies;
    const records = policies.map(({ policyId: id, policyName, effect, condition, consensus, notes }) => {
      const expressions = { ...(condition && { condition }), ...(consensus && { consensus }) };
      return [
        id,
        { policyName, effect, notes, ...expressions, language: POLICY_LANGUAGE, createdAtMs: 0, updatedAtMs: 0 } as PolicyRecord,
      ] as const;
    });
    const contact = {
      label: 'ACME',
      address: `0x${'66'.repeat(20)}`,
      contactTags: ['vendors'],
      notes: '',
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    const empty = organizationOf(new Map(records));
    const judged = {
      ...empty,
      profile: { rootQuorum: { threshold: 1, userIds: roots.map(({ userId }) => userId) }, features: [] },
      records: { ...empty.records, contact: new Map([['c', contact]]) },
    };
    const { user } = await root.data('getUser', { userId: other.userId });
    const names = {
      policy: policyId,
      user: other.userId,
      'user name': user.userName,
      root: roots[0]?.userId ?? '',
      tag: tagId,
      alias: uniqueName('Alias'),
      label: uniqueName('Label'),
      'new key': newApiKey().publicKey,
      'target key': newTarget().hex,
      secret: (await importSecrets(root, ['A secret']))[0] ?? '',
    };
    const tried: TriedRequest[] = [];
    const search = { nowMs: Date.now(), budget: new StepBudget(), every: true, holders: [holder], names };
    finished(worstCaseInSteps(judged, policyId, { ...search, observe: (each) => tried.push(each) }));
    return tried;
  }

  describe.each(Object.entries(conditions))('with %s', (_, conditionOf) => {
    test('D417: the finder, simulate_activity and a submit agree about every request', async () => {
      const stage = await newStage();
      const { organization, member } = stage;
      const policy = policyParams('ALLOW', { condition: conditionOf(stage), consensus: userIs(member) });
      const { policyId } = await organization.root.result('createPolicy', policy);
      const tried = await tryAll(stage, policyId);
      expect(tried.length).toBeGreaterThan(70);
      const differing: string[] = [];
      // The path of the specification takes the newest versions only.
      const older = member.caller.with({ dialect: 'turnkey' });
      for (const { request, parameters, isAllowed } of tried) {
        const fields = { type: request.type, parameters };
        const { decision } = await member.caller.data('simulateActivity', fields);
        if ((decision.outcome === 'ALLOW') !== isAllowed) differing.push(`${request.id}: simulated ${decision.outcome}`);
        // Other requests would change what the next ones are about.
        if (request.chain === 'any') continue;
        const answer = await older.submit(nameOf(request.type), parameters, { type: request.type });
        if ((answer.status === 200) !== isAllowed) differing.push(`${request.id}: submitted ${answer.status}`);
      }
      expect(differing).toEqual([]);
    });
  });

  test('D411: approvers see what a policy allows at worst before they vote, in both queries', async () => {
    const { root, roots } = await createOrganization(subject().service.root, { roots: 2, threshold: 2 });
    const policy = policyParams('ALLOW', {
      condition: "effects.filter(e, e.kind == 'TRANSFER').all(e, e.to in contacts.tagged('vendors'))",
      consensus: 'approvers.count() >= 2',
    });
    const { id } = await submitPending(root, 'createPolicy', policy);
    const { caller } = roots[1] as Member;
    const expected = expect.stringMatching(/^WORST_CASE: policy ".*": any two users may .*give an unlimited allowance to anyone/);
    expect((await detailsOf(caller, id)).warnings).toContainEqual(expected);
    const { activities } = await caller.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
    expect(activities.find((each: Json) => each.id === id)?.warnings).toContainEqual(expected);
  });

  test('D411: an update names what is new, a careful policy nothing worse than its purpose, a DENY nothing', async () => {
    const { root, members } = await createOrganization(subject().service.root, { members: 1 });
    const one = userIs(members[0] as Member);
    const warningsOf = async (activity: Json) =>
      ((await detailsOf(root, activity.id)).warnings as string[] | undefined)?.filter((each) => each.startsWith('WORST_CASE')) ??
      [];
    const submit = async (name: 'createPolicy' | 'createPolicies' | 'updatePolicy', params: object) => {
      const { body } = await root.submit(name, params);
      expect(body.activity, JSON.stringify(body)).toBeDefined();
      return body.activity;
    };
    const created = await submit(
      'createPolicy',
      policyParams('ALLOW', { condition: "activity.kind == 'EXPORT_WALLET'", consensus: one }),
    );
    expect(await warningsOf(created)).toEqual([expect.stringMatching(/: the user ".*" may export keys$/)]);
    const [{ policyId }] = (await root.data('listPolicies')).policies;
    const updated = await submit('updatePolicy', {
      policyId,
      policyCondition: "activity.kind in ['EXPORT_WALLET', 'DELETE_WALLETS']",
    });
    expect(await warningsOf(updated)).toEqual([
      expect.stringMatching(/: new: the user ".*" may delete wallets and keys\. as before: the user ".*" may export keys$/),
    ]);
    const several = await submit('createPolicies', {
      policies: [
        policyParams('ALLOW', { condition: "activity.kind == 'CREATE_WALLET'", consensus: one }),
        policyParams('DENY', { condition: 'effects.any(e, e.unlimited)' }),
      ],
    });
    expect(await warningsOf(several)).toEqual([expect.stringMatching(/: none of \d+ tried requests is allowed$/)]);
  });

  test('D446: approvers of the change or removal of a DENY see what becomes possible, before they vote', async () => {
    const { root, roots, members } = await createOrganization(subject().service.root, { roots: 2, threshold: 2, members: 1 });
    const { caller } = roots[1] as Member;
    const byBoth = async (name: Parameters<typeof submitPending>[1], params: object) => {
      const { id } = await submitPending(root, name, params);
      const worst = (((await detailsOf(caller, id)).warnings as string[] | undefined) ?? []).filter((each) =>
        each.startsWith('WORST_CASE'),
      );
      const { activity } = (await caller.submit('approveActivity', { fingerprint: (await detailsOf(root, id)).fingerprint }))
        .body;
      expect(activity?.status).toBe('ACTIVITY_STATUS_COMPLETED');
      return worst;
    };
    const one = userIs(members[0] as Member);
    await byBoth('createPolicy', policyParams('ALLOW', { condition: "activity.action == 'SIGN'", consensus: one }));
    const names = [uniqueName('No allowances'), uniqueName('No exports')];
    const conditions = ["effects.any(e, e.kind == 'ALLOWANCE')", "activity.action == 'EXPORT'"];
    for (const [index, condition] of conditions.entries())
      await byBoth('createPolicy', { ...policyParams('DENY', { condition }), policyName: names[index] });
    const policies: Json[] = (await root.data('listPolicies')).policies;
    const [allowances, exports] = names.map((name) => policies.find(({ policyName }) => policyName === name)?.policyId);
    const found = (what: string) =>
      expect.stringMatching(
        new RegExp(`^WORST_CASE: ${what} policy "${names[0]}": the user ".*" may then .*give an unlimited allowance to anyone`),
      );
    const narrower = "effects.any(e, e.kind == 'ALLOWANCE') && eth.tx.chain_id == 137";
    expect(await byBoth('updatePolicy', { policyId: allowances, policyNotes: 'the same' })).toEqual([]);
    expect(await byBoth('updatePolicy', { policyId: allowances, policyCondition: narrower })).toEqual([
      found('after the change of'),
    ]);
    await byBoth('updatePolicy', { policyId: allowances, policyCondition: conditions[0] });
    // Nothing allows exports, so none becomes possible.
    expect(await byBoth('deletePolicies', { policyIds: [allowances, exports] })).toEqual([
      found('without'),
      expect.stringMatching(/^WORST_CASE: without policy ".*": none of \d+ tried requests becomes possible$/),
    ]);
  });

  test('D410: a user to whom nothing allows the change causes no search', async () => {
    const { root, members } = await createOrganization(subject().service.root, { members: 2 });
    const [member, trusted] = members as [Member, Member];
    const everything = () => policyParams('ALLOW', { condition: "activity.kind == 'CREATE_WALLET'" });
    await root.result(
      'createPolicy',
      policyParams('ALLOW', { condition: "activity.kind == 'CREATE_POLICY'", consensus: userIs(trusted) }),
    );
    const denied = await member.caller.submit('createPolicy', everything());
    expect(denied.status).toBe(403);
    expect((await detailsOf(root, recordedAttempt(denied) ?? '')).warnings).toBeUndefined();
    // The search runs for a user whose request a policy allows.
    const { body } = await trusted.caller.submit('createPolicy', everything());
    expect((await detailsOf(root, body.activity.id)).warnings).toContainEqual(expect.stringMatching(/^WORST_CASE/));
  });
});
