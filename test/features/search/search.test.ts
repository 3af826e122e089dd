import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, createSubOrganization, createWallet, errorOf, signParams } from '../../support/world.ts';
import { ethereumTransaction } from '../policies/transactions.ts';

const ETH = 10n ** 18n;
const address = (byte: string) => `0x${byte.repeat(20)}`;
const acme = address('ab');
const other = address('cd');

/** Searches all pages. */
async function search(caller: Caller, input: object = {}): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await caller.data('searchActivities', { ...input, ...(cursor !== undefined && { cursor }) });
    found.push(...page.activities);
    if (page.next === undefined) return found;
    cursor = page.next;
  }
}

const idsOf = (activities: readonly Json[]) => activities.map(({ id }) => id);

async function pay(caller: Caller, from: string, to: string, value: bigint, nonce = 0n): Promise<string> {
  const unsignedTransaction = ethereumTransaction({ to, value, nonce });
  const { body } = await caller.submit('signTransaction', {
    signWith: from,
    unsignedTransaction,
    type: 'TRANSACTION_TYPE_ETHEREUM',
  });
  return body.activity?.id ?? body.details.find(({ activityId }: Json) => activityId !== undefined).activityId;
}

const restrict = (root: Caller) => root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });

describeEngines('search', (subject) => {
  const top = () => subject().service.root;
  const indexed = async () => {
    const count = (await subject().raw.all('SELECT leaves FROM activity_term_state'))[0]?.leaves ?? 0;
    return Number(count);
  };
  /** Waits until every activity so far is in the index. */
  const settled = async () => {
    const entries = async () => Number((await subject().raw.all('SELECT size FROM log_state'))[0]?.size ?? 0);
    const queued = async () => Number((await subject().raw.all('SELECT count(*) AS n FROM log_queue'))[0]?.n ?? 0);
    await expect
      .poll(async () => (await queued()) === 0 && (await indexed()) >= (await entries()), { timeout: 60_000 })
      .toBe(true);
  };

  test('finds payments by counterparty, asset, amount, wallet, person, status, type and time', async () => {
    const { caller: root, userId: rootId } = await createSubOrganization(top());
    const [first, second] = [await createWallet(root), await createWallet(root)];
    const member = await createMember(root);
    const small = await pay(root, first.addresses[0] as string, acme, ETH / 2n);
    const large = await pay(root, second.addresses[0] as string, acme, 1_500n * ETH, 1n);
    const elsewhere = await pay(root, first.addresses[0] as string, other, 2n * ETH, 2n);
    const denied = await pay(member.caller, first.addresses[0] as string, address('99'), ETH, 3n);
    const done = { filterByStatus: ['ACTIVITY_STATUS_COMPLETED'] };
    const check = async () => {
      expect(idsOf(await search(root, { counterparty: acme.toUpperCase().replace('0X', '0x') }))).toEqual([large, small]);
      expect(idsOf(await search(root, { counterparty: other, asset: 'eth' }))).toEqual([elsewhere]);
      expect(idsOf(await search(root, { ...done, asset: 'eip155:1/slip44:60', keyId: first.walletId }))).toEqual([
        elsewhere,
        small,
      ]);
      expect(idsOf(await search(root, { minimumAmount: '0.50', maximumAmount: '0.5' }))).toEqual([small]);
      expect(idsOf(await search(root, { minimumAmount: '1.5', asset: 'ETH' }))).toEqual([elsewhere, large]);
      expect(idsOf(await search(root, { maximumAmount: '1000', counterparty: acme }))).toEqual([small]);
      expect(idsOf(await search(root, { counterparty: acme, asset: 'USDC' }))).toEqual([]);
      expect(idsOf(await search(root, { counterparty: address('ef') }))).toEqual([]);
      expect(idsOf(await search(root, { userId: member.userId, filterByStatus: ['ACTIVITY_STATUS_FAILED'] }))).toEqual([denied]);
      const types = ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'];
      expect(idsOf(await search(root, { userId: rootId, filterByType: types, limit: 1 }))).toEqual([elsewhere, large, small]);
      expect(idsOf(await search(root, { counterparty: acme, until: '1' }))).toEqual([]);
      expect(idsOf(await search(root, { counterparty: acme, since: '1', limit: 1 }))).toEqual([large, small]);
    };
    // Before and after indexing, the responses are the same.
    await check();
    await settled();
    await check();
  });

  test('finds what was stored before the index, in the background and before it is complete', async () => {
    const { caller: root } = await createSubOrganization(top());
    const { addresses } = await createWallet(root);
    const paid = await pay(root, addresses[0] as string, acme, ETH);
    await settled();
    const rows = `SELECT count(*) AS n FROM activity_terms WHERE organization_id = '${root.organizationId}'`;
    const count = Number((await subject().raw.all(rows))[0]?.n);
    expect(count).toBeGreaterThan(3);
    await subject().raw.run('DELETE FROM activity_terms');
    await subject().raw.run('UPDATE activity_term_state SET leaves = 0');
    expect(idsOf(await search(root, { counterparty: acme }))).toEqual([paid]);
    await settled();
    expect(Number((await subject().raw.all(rows))[0]?.n)).toBe(count);
    expect(idsOf(await search(root, { counterparty: acme }))).toEqual([paid]);
  });

  test('many signatures of one key in a minute leave few rows', async () => {
    const { caller: root } = await createSubOrganization(top());
    const keyId = await createPrivateKey(root);
    for (let at = 0; at < 40; at++) await root.result('signRawPayload', signParams(keyId));
    await settled();
    const rows = await subject().raw.all(`SELECT minute FROM activity_terms WHERE organization_id = '${root.organizationId}'`);
    // One user and one key, over at most a few minutes.
    expect(rows.length).toBeLessThanOrEqual(2 * (1 + new Set(rows.map(({ minute }) => minute)).size));
    expect(await search(root, { keyId, filterByType: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'], limit: 7 })).toHaveLength(40);
  });

  test('D820: a user without the right to read activities finds and counts only their own', async () => {
    const { caller: root, userId: rootId } = await createSubOrganization(top());
    const { addresses, walletId } = await createWallet(root);
    const { caller, userId } = await createMember(root);
    const foreign = await pay(root, addresses[0] as string, acme, ETH);
    await root.result('createPolicy', {
      policyName: 'Member pays',
      effect: 'EFFECT_ALLOW',
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
      notes: '',
    });
    const own = await pay(caller, addresses[0] as string, acme, ETH, 1n);
    await restrict(root);
    const inputs = [
      { counterparty: acme },
      { asset: 'ETH' },
      { minimumAmount: '1', maximumAmount: '1' },
      { userId: rootId },
      { keyId: walletId },
      {},
    ];
    for (let round = 0; round < 2; round++) {
      for (const input of inputs) {
        const page = await caller.data('searchActivities', { ...input, limit: 1 });
        expect(JSON.stringify(page)).not.toContain(foreign);
        expect(page.activities.every(({ votes }: Json) => votes.some((vote: Json) => vote.userId === userId))).toBe(true);
        expect(idsOf(await search(caller, input))).not.toContain(foreign);
      }
      // The same response with and without something of others to find.
      const answer = (counterparty: string) => caller.data('searchActivities', { counterparty, userId: rootId });
      expect(await answer(acme)).toEqual(await answer(address('ee')));
      expect(idsOf(await search(root, { counterparty: acme }))).toContain(foreign);
      await settled();
    }
    expect(idsOf(await search(caller, { counterparty: acme }))).toEqual([own]);
  });

  test('D821: a search returns nothing of another organization, and a frozen user searches nothing', async () => {
    const [one, two] = [await createSubOrganization(top()), await createSubOrganization(top())];
    const { addresses } = await createWallet(one.caller);
    const paid = await pay(one.caller, addresses[0] as string, acme, ETH);
    await createWallet(two.caller);
    await settled();
    expect(idsOf(await search(one.caller, { counterparty: acme }))).toEqual([paid]);
    expect(await search(two.caller, { counterparty: acme })).toEqual([]);
    const foreign = two.caller.with({ organizationId: one.organizationId });
    expect((await foreign.query('searchActivities', { counterparty: acme })).status).toBeGreaterThanOrEqual(400);
    const { caller, userId } = await createMember(one.caller);
    expect((await caller.query('searchActivities', {})).status).toBe(200);
    await one.caller.result('freeze', { userIds: [userId], reason: 'A lost laptop' });
    expect(errorOf(await caller.query('searchActivities', {}))).toMatchObject({ status: 403 });
    expect((await caller.with({ key: newApiKey() }).query('searchActivities', {})).status).toBe(401);
  });

  test('D822: the index names no address, asset or amount, and cannot make a search show what does not match', async () => {
    const { caller: root } = await createSubOrganization(top());
    const { addresses } = await createWallet(root);
    const paid = await pay(root, addresses[0] as string, acme, ETH);
    await pay(root, addresses[0] as string, other, ETH, 1n);
    await settled();
    const of = `organization_id = '${root.organizationId}'`;
    const terms = await subject().raw.all(`SELECT term FROM activity_terms WHERE ${of}`);
    for (const { term } of terms) expect(String(term)).toMatch(/^[\w-]{11}$/);
    // Every term now leads to every minute.
    const minutes = await subject().raw.all(`SELECT DISTINCT minute FROM activity_terms WHERE ${of}`);
    for (const term of new Set(terms.map(({ term: name }) => String(name))))
      for (const { minute } of minutes)
        await subject().raw.run(
          `INSERT INTO activity_terms (organization_id, term, minute) VALUES ('${root.organizationId}', '${term}', ${minute}) ON CONFLICT DO NOTHING`,
        );
    expect(idsOf(await search(root, { counterparty: acme }))).toEqual([paid]);
  });

  test('rejects amounts and cursors of another form', async () => {
    for (const [field, value] of [
      ['minimumAmount', '1,5'],
      ['maximumAmount', '-1'],
      ['cursor', 'x'],
      ['counterparty', ''],
    ])
      expect(errorOf(await top().query('searchActivities', { [field as string]: value }))).toMatchObject({
        status: 400,
        fields: [field],
      });
  });
});
