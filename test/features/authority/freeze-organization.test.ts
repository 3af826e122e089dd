import { beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { exportAudit, logKey, mended, verifyText } from '../log/audit-support.ts';
import { forge, forgedLogKey } from '../log/forge.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  memberAt,
  outcomeOf,
  reject,
  submitPending,
  userIs,
} from '../policies/support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { DENIED, DONE, FROZEN, freeze, treasury } from './freeze-support.ts';

describeEngines('frozen organizations', (subject) => {
  test('D303: a frozen organization executes nothing but freeze, unfreeze and removals of credentials by its root quorum', async () => {
    const { a, b, c, signer, other, sign, id } = await treasury(subject().service.root);
    const pending = await submitPending(a.caller, 'createUserTag', { userTagName: uniqueName('tag'), userIds: [] });
    expect(outcomeOf(await freeze(a, { wholeOrganization: true }, 'incident'))).toBe(DONE);
    expect(outcomeOf(await sign())).toBe(FROZEN);
    for (const [name, params] of [
      ['createUsers', { users: [userParams(newApiKey())] }],
      ['createReadWriteSession', { targetPublicKey: newTarget().hex }],
      ['createApiKeys', { userId: a.userId, apiKeys: [apiKeyParams(newApiKey())] }],
      ['deleteUsers', { userIds: [other.userId] }],
      ['updateRootQuorum', { threshold: 1, userIds: [a.userId] }],
    ] as const)
      expect({ name, outcome: outcomeOf(await a.caller.submit(name, params)) }).toEqual({ name, outcome: FROZEN });
    expect(outcomeOf(await approve(b, pending))).toBe(FROZEN);
    // Reading works, and so does rejecting.
    expect((await signer.caller.data('listFreezes')).freezes).toMatchObject([{ target: 'ORGANIZATION', targetId: id }]);
    expect(outcomeOf(await reject(b, pending))).toBe('200 REJECTED');
    // A stolen key is removed before the organization is unfrozen: by the root quorum, and by no policy or user alone.
    const { apiKeys } = await a.caller.data('getApiKeys', { userId: signer.userId });
    const removal = { userId: signer.userId, apiKeyIds: [apiKeys[0].apiKeyId] };
    expect(outcomeOf(await signer.caller.submit('deleteApiKeys', removal))).toBe(DENIED);
    const removing = await submitPending(b.caller, 'deleteApiKeys', removal);
    expect(outcomeOf(await approve(c, removing))).toBe(DONE);
    expect(outcomeOf(await sign())).toBe('401 PUBLIC_KEY_NOT_FOUND');
    const unfreezing = await submitPending(a.caller, 'unfreeze', { wholeOrganization: true });
    expect(outcomeOf(await approve(b, unfreezing))).toBe(DONE);
    expect(outcomeOf(await a.caller.submit('createUserTag', { userTagName: uniqueName('tag'), userIds: [] }))).toBe(
      '200 CONSENSUS_NEEDED',
    );
  });

  test('D303: users of sub-organizations of a frozen organization go on, and the frozen organization does not act in them', async () => {
    const { root } = subject().service;
    const child = await createSubOrganization(root);
    const key = await createPrivateKey(child.caller);
    const inside = root.with({ organizationId: child.organizationId });
    const mail = { email: 'person@example.com', targetPublicKey: newTarget().hex };
    expect(outcomeOf(await inside.submit('emailAuth', mail))).not.toBe(FROZEN);
    await root.result('freeze', { wholeOrganization: true, reason: 'incident at the parent' });
    expect(outcomeOf(await child.caller.submit('signRawPayload', signParams(key)))).toBe(DONE);
    const refused = await inside.submit('emailAuth', mail);
    expect(outcomeOf(refused)).toBe(FROZEN);
    expect(refused.body.message).not.toContain('incident');
    expect(outcomeOf(await inside.submit('freeze', { wholeOrganization: true, reason: 'no' }))).toBe('400 ORGANIZATION_MISMATCH');
    await root.result('unfreeze', { wholeOrganization: true });
    expect(outcomeOf(await inside.submit('emailAuth', mail))).not.toBe(FROZEN);
  });

  test('D304: a stolen key of one root user freezes everything, and the frozen quorum still gets out', async () => {
    const { a: thief, b, c, signer, sign } = await treasury(subject().service.root);
    const everything = { wholeOrganization: true, userIds: [b.userId, c.userId] };
    expect(outcomeOf(await freeze(thief, everything))).toBe(DONE);
    // A frozen root user freezes nobody alone, and the thief cannot end what the others started.
    const lock = await submitPending(b.caller, 'freeze', { userIds: [thief.userId], reason: 'key was stolen' });
    const undo = await submitPending(b.caller, 'unfreeze', everything);
    for (const pending of [lock, undo]) expect(outcomeOf(await reject(thief, pending))).toBe(DENIED);
    // A frozen root user finds what to vote on, and reads nothing else.
    const { activities } = await c.caller.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
    expect(activities.map(({ id }: Json) => id).sort()).toEqual([lock.id, undo.id].sort());
    const { activities: all } = await c.caller.data('listActivities', { filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'] });
    expect(new Set(all.map(({ type }: Json) => type))).toEqual(new Set(['ACTIVITY_TYPE_FREEZE', 'ACTIVITY_TYPE_UNFREEZE']));
    expect(outcomeOf(await c.caller.query('listWallets'))).toBe(FROZEN);
    expect(outcomeOf(await approve(c, lock))).toBe(DONE);
    expect(outcomeOf(await freeze(thief, { userIds: [signer.userId] }))).not.toBe(DONE);
    expect(outcomeOf(await approve(c, undo))).toBe(DONE);
    expect(outcomeOf(await sign())).toBe(DONE);
    expect((await b.caller.data('listFreezes')).freezes).toMatchObject([{ targetId: thief.userId }]);
  });

  test('D304: a frozen user outside of the root quorum submits and approves no unfreeze', async () => {
    const { a, b, signer } = await treasury(subject().service.root);
    const userIds = [signer.userId];
    await freeze(a, { userIds });
    const pending = await submitPending(a.caller, 'unfreeze', { userIds });
    expect(outcomeOf(await signer.caller.submit('unfreeze', { userIds }))).toBe(DENIED);
    expect(outcomeOf(await freeze(signer, { userIds: [a.userId] }))).toBe(FROZEN);
    expect(outcomeOf(await approve(signer, pending))).toBe(DENIED);
    expect(outcomeOf(await approve(b, pending))).toBe(DONE);
  });

  test('D305: of many signatures in flight, none is made after the freeze is answered', async () => {
    const { a, sign, walletId } = await treasury(subject().service.root);
    let isAnswered = false;
    const started: { readonly after: boolean; readonly answer: Promise<Answer> }[] = [];
    const send = () => started.push({ after: isAnswered, answer: sign() });
    for (let index = 0; index < 20; index++) send();
    const freezing = freeze(a, { walletIds: [walletId] }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    for (let index = 0; index < 20; index++) send();
    expect(outcomeOf(await freezing)).toBe(DONE);
    for (let index = 0; index < 10; index++) send();
    for (const { after, answer } of started) {
      const outcome = outcomeOf(await answer);
      expect(after ? [FROZEN] : [DONE, FROZEN]).toContain(outcome);
    }
  });
});

describeEngines('freeze in audit files', (subject) => {
  let text: string;
  let key: string;

  beforeAll(async () => {
    const { service } = subject();
    key = await logKey(service.url);
    const organization = await createOrganization(service.root.with({ dialect: 'turnkey' }), {
      roots: 2,
      threshold: 1,
      members: 2,
    });
    const { root } = organization;
    const [signer, other] = [memberAt(organization, 0), memberAt(organization, 1)];
    const { walletId, addresses } = await createWallet(root);
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: userIs(signer) });
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'FREEZE'", consensus: userIs(other) });
    await other.caller.result('freeze', { walletIds: [walletId], reason: 'looks wrong' });
    await signer.caller.submit('signRawPayload', signParams(addresses[0] as string));
    await root.submit('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });
    await root.result('freeze', { userIds: [signer.userId], wholeOrganization: true, reason: 'incident' });
    // Neither the key nor the payload is looked at.
    await signer.caller.submit('signRawPayload', signParams('0x00'));
    await root.submit('createUserTag', { userTagName: uniqueName('tag'), userIds: [] });
    await root.result('unfreeze', { walletIds: [walletId], userIds: [signer.userId], wholeOrganization: true });
    await signer.caller.result('signRawPayload', signParams(addresses[0] as string));
    await root.result('freeze', { userIds: [other.userId], reason: 'left' });
    await root.result('deleteUsers', { userIds: [other.userId] });
    text = await exportAudit(root);
  });

  test('D302: freezes, denials and unfreezes verify offline', async () => {
    const report = await verifyText(text, key);
    expect(report).toMatchObject({ ok: true });
  });

  test('D386: a file without a freeze, or with a forged one, does not verify, even if the forger holds the key of the log', async () => {
    const isFreeze = (leaf: Json) => leaf.opening.type === 'ACTIVITY_TYPE_FREEZE';
    const isUnfreeze = (leaf: Json) => leaf.opening.type === 'ACTIVITY_TYPE_UNFREEZE';
    const isDenied = (leaf: Json) => leaf.content?.decision?.by === 'FROZEN';
    const lines = text.trimEnd().split('\n');
    const removed = lines.filter((line) => !line.includes('ACTIVITY_TYPE_FREEZE'));
    expect(removed.length).toBeLessThan(lines.length);
    expect(await verifyText(mended(`${removed.join('\n')}\n`), key)).toMatchObject({ ok: false });

    const verdictOf = (change: Parameters<typeof forge>[1]) => verifyText(forge(text, change), forgedLogKey);
    expect(await verdictOf(() => undefined)).toMatchObject({ ok: true });
    const lies: readonly Parameters<typeof forge>[1][] = [
      // The freeze is gone, and then also everything that it denied.
      (leaves) => leaves.filter((leaf) => leaf !== leaves.find(isFreeze)),
      (leaves) => leaves.filter((leaf) => !isFreeze(leaf) && !isDenied(leaf)),
      // Another person, another reason, another object, nothing at all.
      ...['frozenBy', 'reason', 'target'].map((member) => (leaves: Json[]) => {
        leaves.find(isFreeze).content.changed.changes[0].body[member] = member === 'target' ? 'USER' : 'another';
      }),
      (leaves) => {
        leaves.find(isFreeze).content.changed.changes[0].id = leaves[0].opening.organizationId;
      },
      (leaves) => {
        delete leaves.find(isFreeze).content.changed;
      },
      // A signature of the frozen wallet that was denied is said to be made, and the unfreeze to come before the denial or twice.
      (leaves) => {
        const denied = leaves.find(isDenied);
        denied.content.decision = { ...denied.content.decision, outcome: 'ALLOW', by: 'POLICY' };
      },
      (leaves) => {
        const unfreeze = leaves.find(isUnfreeze);
        const others = leaves.filter((leaf) => leaf !== unfreeze);
        return [...others.slice(0, others.findIndex(isDenied)), unfreeze, ...others.slice(others.findIndex(isDenied))];
      },
      (leaves) => {
        const again = structuredClone(leaves.find(isUnfreeze));
        again.opening.activityId = again.opening.activityId.replace(/.$/, '0');
        return [...leaves, again];
      },
    ];
    for (const [index, lie] of lies.entries()) expect([index, await verdictOf(lie)]).toMatchObject([index, { ok: false }]);
  });
});
