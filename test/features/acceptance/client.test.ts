import { ApiKeyStamper, createClient, items, waitForApproval } from '@countersign/client';
import { expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, createSubOrganization } from '../../support/world.ts';

const payload = (signWith: string) => ({
  signWith,
  payload: '00ff',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' as const,
  hashFunction: 'HASH_FUNCTION_KECCAK256' as const,
});

describeEngines('the client against the service', (subject) => {
  const clientOf = ({ url, organizationId, key }: Caller) =>
    createClient({
      baseUrl: url,
      organizationId,
      stamper: new ApiKeyStamper({ apiPublicKey: key.publicKey, apiPrivateKey: key.privateKey }),
    });

  /** An organization where a member's signatures need the approval of the root user. */
  async function treasury() {
    const { caller, userId } = await createSubOrganization(subject().service.root);
    const member = await createMember(caller);
    const signWith = await createPrivateKey(caller);
    await caller.result('createPolicy', {
      policyName: 'Two people sign',
      effect: 'EFFECT_ALLOW',
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${member.userId}')`,
      notes: '',
    });
    return { root: clientOf(caller), member: clientOf(member.caller), signWith };
  }

  test('waitForApproval returns an approved activity and throws for a rejected one', async () => {
    const { root, member, signWith } = await treasury();
    const submitted = await member.signRawPayload(payload(signWith));
    const { fingerprint } = (await root.getActivity({ activityId: submitted.activity.id })).activity;
    const waiting = waitForApproval(member, submitted, { everyMs: 20 });
    await root.approveActivity({ fingerprint });
    expect(await waiting).toMatchObject({ id: submitted.activity.id, status: 'ACTIVITY_STATUS_COMPLETED' });

    const second = await member.signRawPayload(payload(signWith));
    await expect(waitForApproval(member, second, { everyMs: 20, timeoutMs: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const { activity } = await root.getActivity({ activityId: second.activity.id });
    await root.rejectActivity({ fingerprint: activity.fingerprint });
    await expect(waitForApproval(member, second)).rejects.toMatchObject({ code: 'ACTIVITY_REJECTED' });
  });

  test('an aborted signal ends the wait', async () => {
    const { member, signWith } = await treasury();
    const submitted = await member.signRawPayload(payload(signWith));
    const waiting = waitForApproval(member, submitted, { signal: AbortSignal.timeout(100) });
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('items yields every activity once across pages, newest first', async () => {
    const { caller } = await createSubOrganization(subject().service.root);
    for (let count = 0; count < 130; count++) await createPrivateKey(caller);
    const client = clientOf(caller);
    const seen: string[] = [];
    for await (const { id } of items(client.listActivities, 'activities', ({ id }) => id)) seen.push(id);
    expect(seen.length).toBeGreaterThanOrEqual(130);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort().reverse());
  });
});
