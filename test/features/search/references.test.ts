import { expect, test } from 'vitest';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, createSubOrganization, errorOf, signParams } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { linesOf, textOf } from '../log/edit-file.ts';
import { approve, createPolicy, fingerprintOf, outcomeOf, submitPending, userIs } from '../policies/support.ts';

const NAME = 'signRawPayload';

describeEngines('references of requests', (subject) => {
  /** A root user, a member whose signatures wait for the root user, and their key. */
  async function prepare() {
    const { caller: root, userId: rootId } = await createSubOrganization(subject().service.root);
    const member = await createMember(root);
    const keyId = await createPrivateKey(root);
    const consensus = `${userIs(member)} && approvers.any(user, user.id == '${rootId}')`;
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus });
    return { root, member, params: signParams(keyId) };
  }

  const referenceOf = async (caller: Caller, activityId: string) =>
    (await caller.data('getActivity', { activityId })).activity.reference;
  const foundBy = async (caller: Caller, reference: string) =>
    (await caller.data('searchActivities', { reference })).activities.map(({ id }: Json) => id);
  /** Waits until every activity so far is in the index. */
  const settled = async () => {
    const count = async (sql: string) => Number((await subject().raw.all(sql))[0]?.n ?? 0);
    const isIndexed = async () =>
      (await count('SELECT count(*) AS n FROM log_queue')) === 0 &&
      (await count('SELECT leaves AS n FROM activity_term_state')) >= (await count('SELECT size AS n FROM log_state'));
    await expect.poll(isIndexed, { timeout: 60_000 }).toBe(true);
  };

  test('are shown in both dialects and in lists, and found by their words', async () => {
    const { root, member, params } = await prepare();
    const { id } = await submitPending(member.caller, NAME, params, { reference: 'Invoice INV-2041 for Łódź' });
    const plain = await submitPending(member.caller, NAME, params);
    const other = await submitPending(member.caller, NAME, params, { reference: 'invoice INV-7' });
    const compatible = root.with({ dialect: 'turnkey' });
    for (const caller of [root, compatible]) {
      expect(await referenceOf(caller, id)).toBe('Invoice INV-2041 for Łódź');
      expect(await referenceOf(caller, plain.id)).toBeUndefined();
    }
    const { activities } = await root.data('listActivities', {});
    expect(activities.find((one: Json) => one.id === id).reference).toBe('Invoice INV-2041 for Łódź');
    for (let round = 0; round < 2; round++) {
      expect(await foundBy(root, 'inv-2041')).toEqual([id]);
      expect(await foundBy(root, 'INVOICE')).toEqual([other.id, id]);
      expect(await foundBy(root, 'łódź invoice')).toEqual([id]);
      expect(await foundBy(root, 'invoice 2041')).toEqual([]);
      await settled();
    }
  });

  test('stay beside a request that a list shortens', async () => {
    const { root } = await prepare();
    const params = { ...signParams(await createPrivateKey(root)), payload: 'x'.repeat(40_000) };
    const { body } = await root.submit(NAME, params, { reference: 'Import of October' });
    const { activities } = await root.data('listActivities', {});
    const listed = activities.find(({ id }: Json) => id === body.activity.id);
    expect(listed).toMatchObject({ reference: 'Import of October', shortened: { query: 'get_activity' } });
  });

  test('D967: a request with another reference is another request, which an approval does not cover', async () => {
    const { root, member, params } = await prepare();
    const timestampMs = String(Date.now());
    const wanted = await submitPending(member.caller, NAME, params, { timestampMs, reference: 'INV-1' });
    const similar = await submitPending(member.caller, NAME, params, { timestampMs, reference: 'INV-2' });
    expect(similar.id).not.toBe(wanted.id);
    // The same body again is the same request.
    expect((await member.caller.send(wanted.path, wanted.body)).body.activity.id).toBe(wanted.id);
    // A proxy that changes the reference breaks the stamp.
    const stamp = encodeStamp(stampFields(member.caller.key, Buffer.from(wanted.body)));
    const altered = await member.caller.send(wanted.path, wanted.body.replace('INV-1', 'INV-3'), { 'x-stamp': stamp });
    expect(altered.status).toBe(401);
    expect(outcomeOf(await approve({ caller: root }, wanted))).toBe('200 COMPLETED');
    expect((await root.data('getActivity', { activityId: similar.id })).activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
  });

  test('D967: an audit file with another reference is refused', async () => {
    const { root, params } = await prepare();
    await root.result(NAME, params, { reference: 'INV-2041' });
    const key = await logKey(subject().service.url);
    const file = await exportAudit(root);
    expect(file).toContain('INV-2041');
    expect(await verifyText(file, key)).toMatchObject({ ok: true });
    const lines = linesOf(file);
    const leaf = lines.find((line: Json) => line.content?.vote?.body?.includes('INV-2041'));
    leaf.content.vote.body = leaf.content.vote.body.replace('INV-2041', 'INV-9999');
    const verdict = await verifyText(textOf(lines), key);
    expect(verdict).toMatchObject({ ok: false, failure: { reason: 'its fingerprint is not that of the stamped body' } });
    // A file that names the fingerprint of the altered body contradicts the log and the stamp.
    leaf.opening.fingerprint = fingerprintOf(leaf.content.vote.body);
    expect(await verifyText(textOf(lines), key)).toMatchObject({ ok: false });
  });

  test('D968: texts that approvers would misread are rejected, and nothing is stored', async () => {
    const { root, params } = await prepare();
    const count = async () => (await root.data('listActivities', {})).activities.length;
    const before = await count();
    for (const reference of ['INV\u202e1402', 'INV-1\nApproved by CFO', '', ' ', 'x'.repeat(141), 7, ['INV-1'], {}])
      for (const dialect of ['spec', 'turnkey'] as const) {
        const answer = await root.with({ dialect }).submit(NAME, params, { reference });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['reference'] });
      }
    expect(await count()).toBe(before);
    // An explicit null counts as absent, as everywhere.
    const { body } = await root.submit(NAME, params, { reference: null });
    expect(await referenceOf(root, body.activity.id)).toBeUndefined();
  });

  test('D968: a name of the member with escapes hides the reference from nobody', async () => {
    const { root, params } = await prepare();
    const body = root.submitBody(NAME, params, { reference: 'INV-1' }).replace('"reference"', '"\\u0072eference"');
    const { id } = (await root.send(root.submitPath(NAME), body)).body.activity;
    expect(await referenceOf(root, id)).toBe('INV-1');
    expect(await foundBy(root, 'inv-1')).toEqual([id]);
  });

  test('a vote has none', async () => {
    const { root, member, params } = await prepare();
    const pending = await submitPending(member.caller, NAME, params, { reference: 'INV-1' });
    const answer = await approve({ caller: root }, pending, { reference: 'INV-2' });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['reference'] });
    expect(outcomeOf(await approve({ caller: root }, pending))).toBe('200 COMPLETED');
  });
});
