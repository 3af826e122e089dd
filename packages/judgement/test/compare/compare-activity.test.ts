import type { Activities } from '@countersign/contract';
import { compareActivity } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../server/src/organizations/snapshot/snapshot.ts';
import { control } from '../support/controls-world.ts';
import { organization } from '../support/world.ts';

const dates = { createdAtMs: 0, updatedAtMs: 0 };

/** Ann and Bob, the root quorum is both of them; a policy, two tags, a contact, a limit, a webhook. */
function world(): Snapshot {
  const people = [{ id: 'ann', userTags: ['t1'] }, { id: 'bob' }, { id: 'eve' }];
  const policies = { pay: { condition: "tx.to == 'x'", consensus: 'approvers.count() >= 2' } };
  const made = organization(people, policies, { threshold: 2, userIds: ['ann', 'bob'] });
  const { records } = made;
  return {
    ...made,
    records: {
      ...records,
      userTag: records.userTag.with('t1', { tagName: 'Treasury', ...dates }).with('t2', { tagName: 'Treasury', ...dates }),
      contact: records.contact.with('c1', { label: 'Acme', address: '0xaa', contactTags: ['vendors'], notes: '', ...dates }),
      velocityControl: records.velocityControl.with('v1', control()),
      webhookEndpoint: records.webhookEndpoint.with('w1', {
        name: 'Ledger',
        url: 'https://hooks.example/secret',
        isActive: true,
        subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }],
        ...dates,
      }),
    },
  };
}

function texts(name: keyof Activities, params: unknown, where = world()): readonly string[] {
  const comparison = compareActivity(name, { organization: where, submitterId: 'ann', params });
  return (comparison?.changes ?? []).map(({ text }) => text);
}

describe('what a request changes', () => {
  test('a policy: every field that changes, and none that stays', () => {
    expect(texts('updatePolicy', { policyId: 'pay', policyConsensus: 'true' })).toEqual([
      'Policy "pay" (pay): consensus: "approvers.count() >= 2" → "true"',
    ]);
    expect(texts('updatePolicy', { policyId: 'pay', policyConsensus: 'approvers.count() >= 2' })).toEqual([]);
    expect(
      texts('updatePolicy', {
        policyId: 'pay',
        policyName: 'Harmless',
        policyEffect: 'EFFECT_DENY',
        policyCondition: 'true',
        policyConsensus: 'true',
        policyNotes: 'reviewed',
        time: 'time.hour < 8',
      }),
    ).toEqual([
      'Policy "pay" (pay): name: "pay" → "Harmless"',
      'Policy "pay" (pay): effect: allows → denies',
      'Policy "pay" (pay): condition: "tx.to == \'x\'" → "true"',
      'Policy "pay" (pay): consensus: "approvers.count() >= 2" → "true"',
      'Policy "pay" (pay): notes added: "reviewed"',
      'Policy "pay" (pay): language version: 1 → 3',
      'Policy "pay" (pay): time added: "time.hour < 8"',
    ]);
  });

  test('policies that are created and deleted show all of their text', () => {
    const policy = { policyName: 'New', effect: 'EFFECT_ALLOW', condition: 'true', notes: '' };
    expect(texts('createPolicy', policy)).toEqual([
      'Creates policy "New": effect: allows',
      'Creates policy "New": condition: "true"',
      'Creates policy "New": language version: 3',
    ]);
    expect(texts('deletePolicies', { policyIds: ['pay', 'gone'] })).toEqual([
      'Deletes policy "pay" (pay): effect: allows',
      'Deletes policy "pay" (pay): condition: "tx.to == \'x\'"',
      'Deletes policy "pay" (pay): consensus: "approvers.count() >= 2"',
      'Deletes policy "pay" (pay): language version: 1',
      'Policy gone does not exist, so the request fails',
    ]);
  });

  test('the root quorum: who joins, who leaves, how many are needed', () => {
    expect(texts('updateRootQuorum', { threshold: 1, userIds: ['ann', 'eve'] })).toEqual([
      'Organization "Organization" (o): approvals of root users that are needed: 2 of 2 → 1 of 2',
      'Organization "Organization" (o): root user removed: user "Name of bob" (bob)',
      'Organization "Organization" (o): root user added: user "Name of eve" (eve)',
    ]);
  });

  test('D495: tags with the same name differ by their ids, and an id that is none is quoted', () => {
    expect(texts('updateUser', { userId: 'ann', userTagIds: ['t2'] })).toEqual([
      'User "Name of ann" (ann): tag removed: user tag "Treasury" (t1)',
      'User "Name of ann" (ann): tag added: user tag "Treasury" (t2)',
    ]);
    expect(texts('updateUser', { userId: 'ann', userTagIds: ['t1', 'x" (t1): tag removed: "y'] })).toEqual([
      String.raw`User "Name of ann" (ann): tag added: user tag "x\" (t1): tag removed: \"y" (not found)`,
    ]);
    expect(
      texts('updateUserTag', { userTagId: 't1', newUserTagName: 'Interns', addUserIds: ['bob', 'ann'], removeUserIds: ['eve'] }),
    ).toEqual([
      'User tag "Treasury" (t1): name: "Treasury" → "Interns"',
      'User tag "Treasury" (t1): user added: user "Name of bob" (bob)',
    ]);
  });

  test('D495: a name cannot go on as the words of the service', () => {
    const userName = 'Ann" (ann): nothing changes\n\u202e';
    expect(texts('updateUserName', { userId: 'bob', userName })).toEqual([
      String.raw`User "Name of bob" (bob): name: "Name of bob" → "Ann\" (ann): nothing changes\n\u{202e}"`,
    ]);
  });

  test('people: contacts, credentials, and what ends with a user', () => {
    expect(texts('updateUserEmail', { userId: 'ann', userEmail: 'ann@example.com' })).toEqual([
      'User "Name of ann" (ann): email address added: "ann@example.com"',
    ]);
    const apiKeys = [{ apiKeyName: 'ci', publicKey: '02ab', curveType: 'API_KEY_CURVE_P256', expirationSeconds: '60' }];
    expect(texts('createApiKeys', { userId: 'bob', apiKeys })).toEqual([
      'Creates API key "ci": user: user "Name of bob" (bob)',
      'Creates API key "ci": public key: 02ab',
      'Creates API key "ci": curve: API_KEY_CURVE_P256',
      'Creates API key "ci": ends after: 60 seconds',
    ]);
    expect(texts('deleteUsers', { userIds: ['eve'] })).toEqual([
      'Deletes user "Name of eve" (eve): ends with the user: API keys: 1, passkeys: 0, sign-in identities: 0, MFA policies: 0, sessions: 0',
    ]);
  });

  test('contacts, tokens and limits', () => {
    expect(texts('updateContact', { contactId: 'c1', label: 'ACME', contactTags: [] })).toEqual([
      'Contact "Acme" (c1): name: "Acme" → "ACME"',
      'Contact "Acme" (c1): tag removed: "vendors"',
    ]);
    const asset = 'eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
    expect(texts('createTokens', { tokens: [{ asset, symbol: 'TKN', decimals: 18 }] })).toEqual([
      `Creates token "TKN": asset: "${asset.toLowerCase()}"`,
      'Creates token "TKN": decimals: 18',
    ]);
    expect(texts('updateVelocityControl', { velocityControlId: 'v1', newThreshold: '1000000' })).toEqual([
      'Spending limit "Daily USDC" (v1): limit: at most 100000 → at most 1000000',
    ]);
    expect(texts('raiseVelocityControl', { velocityControlId: 'v1', newThreshold: '2', until: '1790000000000' })).toEqual([
      'Spending limit "Daily USDC" (v1): raised to added: 2 until 2026-09-21T14:13:20.000Z',
    ]);
    expect(texts('resetVelocityControl', { velocityControlId: 'v1' })).toEqual([
      'Spending limit "Daily USDC" (v1): what it counted so far: counts → no longer counts',
    ]);
  });

  test('D495: a member of a limit that has no words here is shown as it is', () => {
    const { dataSource, aggregation, name, identifier } = control();
    const odd = { chainAssetTransfer: { ...dataSource.chainAssetTransfer, later: 'FREE' } };
    expect(texts('createVelocityControl', { name, identifier, dataSource: odd, aggregation })).toContain(
      String.raw`Creates spending limit "Daily USDC": other settings: later "\"FREE\""`,
    );
  });

  test('a limit says what applies to all other assets', () => {
    const { dataSource, aggregation, name, identifier } = control();
    const otherAssets = 'VELOCITY_CONTROL_OTHER_ASSETS_FREE';
    const free = { chainAssetTransfer: { ...dataSource.chainAssetTransfer, otherAssets } };
    expect(texts('createVelocityControl', { name, identifier, dataSource: free, aggregation })).toContain(
      'Creates spending limit "Daily USDC": all other assets: free',
    );
  });

  test('D498: a webhook shows no token of its URL, and still that it changes', () => {
    const shown = texts('updateWebhookEndpoint', { endpointId: 'w1', url: 'https://hooks.example/other' });
    expect(shown).toEqual(['Webhook "Ledger" (w1): URL, hidden part: as it is → another one']);
    expect(texts('updateWebhookEndpoint', { endpointId: 'w1', url: 'https://evil.example/x' })).toEqual([
      'Webhook "Ledger" (w1): URL: "https://hooks.example/***" → "https://evil.example/***"',
    ]);
    expect(texts('updateWebhookEndpoint', { endpointId: 'w1', url: 'https://hooks.example/secret' })).toEqual([]);
  });

  test('D497: a long list is cut, and the rest is counted', () => {
    const user = (index: number) => ({
      userName: `U${index}`,
      apiKeys: [],
      authenticators: [],
      oauthProviders: [],
      userTags: ['t1', 't2', 't3'],
    });
    const params = { users: Array.from({ length: 100 }, (_, index) => user(index)) };
    const comparison = compareActivity('createUsers', { organization: world(), submitterId: 'ann', params });
    expect(comparison).toMatchObject({ changes: { length: 200 }, omitted: 100 });
    const policies = Array.from({ length: 100 }, (_, index) => ({
      policyName: `P${index}`,
      effect: 'EFFECT_ALLOW',
      condition: `'${'x'.repeat(2_000)}' == ''`,
    }));
    const long = compareActivity('createPolicies', { organization: world(), submitterId: 'ann', params: { policies } });
    expect(JSON.stringify(long).length).toBeLessThan(150_000);
    expect(long?.omitted).toBeGreaterThan(200);
  });

  test('a signature has nothing to compare', () => {
    expect(compareActivity('signTransaction', { organization: world(), submitterId: 'ann', params: {} })).toBeUndefined();
  });
});
