import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, errorOf } from '../../support/world.ts';
import { addKey, HERE, OFFICE, only, ownOrganization } from '../ip-allowlists/support.ts';
import { createOrganization, createPolicy, memberAt, outcomeOf } from '../policies/support.ts';
import { login } from '../sign-in/sessions-support.ts';

describeEngines('settings that protect credentials', (subject) => {
  const refused = { status: 403, code: 'POLICY_DENIED' };

  test('A51: a broad policy does not allow changes of passkey origins', async () => {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const { root } = organization;
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'UPDATE'" });
    const { caller } = memberAt(organization, 0);
    const change = { allowedOrigins: ['https://app.example.com'] };
    expect(errorOf(await caller.submit('updateAllowedOrigins', change))).toMatchObject(refused);
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'CONFIG'" });
    expect(outcomeOf(await caller.submit('updateAllowedOrigins', change))).toBe('200 COMPLETED');
  });

  test('A53: only the root quorum changes the IP allowlist of a root user’s key', async () => {
    const { root } = await ownOrganization(subject().service);
    const { userId: rootId } = await root.data('whoami');
    const { caller, userId } = await createMember(root);
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'IP_ALLOWLIST'" });
    const { caller: second } = await addKey(root, rootId);
    const list = { publicKey: second.key.publicKey, rules: [{ cidr: `${OFFICE}/32` }] };
    expect(errorOf(await caller.submit('setIpAllowlist', list))).toMatchObject(refused);
    await root.result('setIpAllowlist', list);
    const { publicKey } = list;
    expect(errorOf(await caller.submit('removeIpAllowlist', { publicKey }))).toMatchObject(refused);
    await root.result('removeIpAllowlist', { publicKey });
    // The keys of others are for the policy, as before; one's own not with a session.
    const { caller: spare } = await addKey(root, userId);
    const own = { ...list, publicKey: spare.key.publicKey };
    expect(errorOf(await (await login(caller)).submit('setIpAllowlist', own))).toMatchObject(refused);
    expect(outcomeOf(await caller.submit('setIpAllowlist', own))).toBe('200 COMPLETED');
    const { userId: otherId } = await createMember(root);
    const others = { ...list, publicKey: (await addKey(root, otherId)).caller.key.publicKey };
    expect(outcomeOf(await caller.submit('setIpAllowlist', others))).toBe('200 COMPLETED');
    expect(outcomeOf(await caller.submit('setIpAllowlist', only(HERE)))).toBe('200 COMPLETED');
  });
});
