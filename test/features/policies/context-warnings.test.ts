import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createWallet, type Member, uniqueName, userParams } from '../../support/world.ts';
import { transferParams } from '../usage/support.ts';
import { approve, createOrganization, detailsOf, memberAt, outcomeOf, policyParams, submitPending, userIs } from './support.ts';
import { ethereumTransaction } from './transactions.ts';

type Names = Parameters<typeof submitPending>[1];

/** An organization in which two root users change what policies rest on, and users with a tag pay. */
async function createWorld(parent: Parameters<typeof createOrganization>[0], condition = "activity.kind == 'SIGN_TRANSACTION'") {
  const organization = await createOrganization(parent, { roots: 2, members: 2 });
  const { root, roots } = organization;
  const [first, second] = roots as [Member, Member];
  const [payer, other] = [memberAt(organization, 0), memberAt(organization, 1)];
  const address = (await createWallet(root)).addresses[0] as string;
  const tag = { userTagName: 'payers', userIds: [payer.userId] };
  const { userTagId } = await root.result('createUserTag', tag);
  const consensus = `approvers.any(user, user.tags.contains('${userTagId}'))`;
  await root.result('createPolicy', policyParams('ALLOW', { condition, consensus }));
  await root.result('updateRootQuorum', { threshold: 2, userIds: roots.map(({ userId }) => userId) });
  /** The warnings that the second root user reads before the vote. */
  const pending = async (name: Names, params: object) => {
    const submitted = await submitPending(first.caller, name, params);
    return { ...submitted, warnings: (await detailsOf(second.caller, submitted.id)).warnings as readonly string[] | undefined };
  };
  const both = async (name: Names, params: object) => {
    const submitted = await pending(name, params);
    expect(outcomeOf(await approve(second, submitted))).toBe('200 COMPLETED');
    const { result } = await detailsOf(first.caller, submitted.id);
    return result[`${name}Result`] ?? result;
  };
  return { ...organization, first, second, payer, other, address, userTagId, pending, both };
}

const backtest = (denied: number, allowed: number) =>
  expect.stringMatching(new RegExp(`^BACKTEST: would have denied ${denied} of the last \\d+, allowed ${allowed} more`));
const none = 'WORST_CASE: no policy was found that depends on what changes here';
const depends = (words: string) =>
  expect.stringMatching(new RegExp(`^WORST_CASE: policy "Policy.*" depends on what .*: ${words}`));

describeEngines('warnings about changes of what policies rest on', (subject) => {
  test('D558: approvers of a tag see what it allows, and past requests of its users', async () => {
    const { pending, both, second, payer, other, address, userTagId } = await createWorld(subject().service.root);
    expect(outcomeOf(await payer.caller.submit('signTransaction', transferParams(address, 1)))).toBe('200 COMPLETED');
    expect((await other.caller.submit('signTransaction', transferParams(address, 1))).status).toBe(403);
    const allows = depends('any user with the tag "payers" may .*send any amount of the coin to anyone');

    const add = { userTagId, addUserIds: [other.userId], removeUserIds: [] };
    const added = await pending('updateUserTag', add);
    expect(added.warnings).toEqual([backtest(0, 1), allows]);
    const byUpdate = await pending('updateUser', { userId: other.userId, userTagIds: [userTagId] });
    expect(byUpdate.warnings).toEqual([backtest(0, 1), allows]);
    const removed = await pending('updateUserTag', { userTagId, addUserIds: [], removeUserIds: [payer.userId] });
    expect(removed.warnings).toEqual([backtest(1, 0), allows]);
    const deleted = await pending('deleteUsers', { userIds: [payer.userId] });
    expect(deleted.warnings).toEqual([backtest(1, 0), allows]);
    const created = await pending('createUsers', { users: [{ ...userParams(newApiKey()), userTags: [userTagId] }] });
    expect(created.warnings).toEqual([backtest(0, 0), allows]);

    // A tag and a user that no policy depends on.
    const { userTagId: lunch } = await both('createUserTag', { userTagName: 'lunch', userIds: [] });
    const harmless = await pending('updateUserTag', { userTagId: lunch, addUserIds: [other.userId], removeUserIds: [] });
    expect(harmless.warnings).toEqual([backtest(0, 0), none]);
    expect((await pending('createUsers', { users: [userParams(newApiKey())] })).warnings).toEqual([backtest(0, 0), none]);

    expect(outcomeOf(await approve(second, added))).toBe('200 COMPLETED');
    expect(outcomeOf(await other.caller.submit('signTransaction', transferParams(address, 1)))).toBe('200 COMPLETED');
  });

  test('D1077: approvers of a contact see that its address looks like that of another one', async () => {
    const { pending, both } = await createWorld(subject().service.root);
    const [acme, fake, third] = ['0', '1', '2'].map((digit) => `0x5aaeb6${digit.repeat(28)}1beaed`) as [string, string, string];
    const contacts = (...given: [label: string, address: string][]) => ({
      contacts: given.map(([label, address]) => ({ label, address })),
    });
    const alike = (label: string, address: string, other: string, known: string) =>
      `LOOK_ALIKE: the address of "${label}", ${address}, looks like that of "${other}", ${known}. Compare the middle`;
    const two = contacts(['Acme', acme], ['Acme 2', fake]);
    expect((await pending('createContacts', two)).warnings).toContain(alike('Acme 2', fake, 'Acme', acme));
    const { contactIds } = await both('createContacts', contacts(['Acme', acme]));
    expect((await pending('createContacts', contacts(['Beta', fake], ['Gamma', third]))).warnings).toEqual([
      backtest(0, 0),
      alike('Beta', fake, 'Acme', acme),
      alike('Gamma', third, 'Acme', acme),
      none,
    ]);
    const usual = contacts(['Other', '0x52908400098527886e0f7030069857d2e4169ee7']);
    expect((await pending('createContacts', usual)).warnings).toEqual([backtest(0, 0), none]);
    // A contact does not look like itself.
    const renamed = await pending('updateContact', { contactId: contactIds[0], label: 'Acme Ltd', contactTags: ['vendors'] });
    expect(renamed.warnings).toEqual([backtest(0, 0), none]);
    await both('createContacts', contacts(['Beta', fake]));
    const kept = await pending('updateContact', { contactId: contactIds[0], label: 'Acme Ltd', contactTags: ['vendors'] });
    expect(kept.warnings).toContainEqual(expect.stringContaining(`, ${acme}, looks like that of "Beta", ${fake}.`));
  });

  test('D558: approvers of a new user see the policies that ask nothing of a user, and those that deny by a tag', async () => {
    const { pending, both, other, userTagId } = await createWorld(subject().service.root);
    await both('createPolicy', policyParams('ALLOW', { condition: "activity.kind == 'SIGN_RAW_PAYLOAD'" }));
    const created = await pending('createUsers', { users: [userParams(newApiKey())] });
    expect(created.warnings).toEqual([
      backtest(0, 0),
      expect.stringMatching(/^WORST_CASE: policy "Policy.*" asks nothing of a user: any user may .*sign/),
    ]);
    const deny = {
      condition: "activity.kind == 'SIGN_RAW_PAYLOAD'",
      consensus: `approvers.any(user, user.tags.contains('${userTagId}'))`,
    };
    await both('createPolicy', policyParams('DENY', deny));
    const removed = await pending('updateUserTag', { userTagId, addUserIds: [], removeUserIds: [other.userId] });
    expect(removed.warnings).toEqual([backtest(0, 0), none]);
    const lost = await pending('deleteUserTags', { userTagIds: [userTagId] });
    expect(lost.warnings).toContainEqual(
      expect.stringMatching(/^WORST_CASE: policy "Policy.*" denies, and depends on what .*not deny: any user .*may then .*sign/),
    );
  });

  test('D558: approvers of a root quorum see who may do everything, and which past requests it changes', async () => {
    const { pending, both, first, second, other, address, roots } = await createWorld(subject().service.root);
    const userIds = roots.map(({ userId }) => userId);
    const sign = () => transferParams(address, 1);
    await submitPending(second.caller, 'signTransaction', sign());
    const one = await pending('updateRootQuorum', { threshold: 1, userIds });
    expect(one.warnings).toEqual([
      expect.stringMatching(/^BACKTEST: would have denied 0 of the last \d+, allowed 1 more/),
      expect.stringMatching(
        /^WORST_CASE: each of the users ".*", ".*" alone may do everything, .*Until now: the users ".*", all 2 together/,
      ),
    ]);
    await both('signTransaction', sign());
    const others = await pending('updateRootQuorum', { threshold: 2, userIds: [first.userId, other.userId] });
    expect(others.warnings?.[0]).toMatch(
      /^BACKTEST: would have denied 1 of .* held back 1 for approvals; [1-9]\d* could not be replayed/,
    );
    const same = await pending('updateRootQuorum', { threshold: 2, userIds });
    expect(same.warnings?.[0]).toEqual(backtest(0, 0));
    expect(outcomeOf(await approve(second, one))).toBe('200 COMPLETED');
    expect(outcomeOf(await second.caller.submit('signTransaction', sign()))).toBe('200 COMPLETED');
  });

  test('D558: approvers of contacts and tokens see the policies that depend on them', async () => {
    const understood = "tx.understood && effects.all(e, e.kind in ['TRANSFER', 'FEE'])";
    const vendors = "effects.filter(e, e.kind == 'TRANSFER').all(e, e.to in contacts.tagged('vendors'))";
    const world = await createWorld(subject().service.root, `${understood} && ${vendors}`);
    const { pending, both, payer, address } = world;
    const to = '0x2222222222222222222222222222222222222222';
    const pay = () => {
      const unsignedTransaction = ethereumTransaction({ to, value: 1n, nonce: BigInt(Math.floor(Math.random() * 2 ** 40)) });
      return { signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
    };
    expect((await payer.caller.submit('signTransaction', pay())).status).toBe(403);
    const contacts = (contactTags: readonly string[]) => ({
      contacts: [{ label: uniqueName('Acme'), address: to, contactTags }],
    });
    const allows = depends('any user with the tag "payers" may .*to a contact');
    const created = await pending('createContacts', contacts(['vendors']));
    expect(created.warnings).toEqual([backtest(0, 1), allows]);
    const { contactIds } = await both('createContacts', contacts(['friends']));
    const [contactId] = contactIds;
    const tagged = await pending('updateContact', { contactId, contactTags: ['vendors'] });
    expect(tagged.warnings).toEqual([backtest(0, 1), allows]);
    await both('updateContact', { contactId, contactTags: ['vendors'] });
    expect(outcomeOf(await payer.caller.submit('signTransaction', pay()))).toBe('200 COMPLETED');
    // The first payment was denied at its time, and the current policies would allow it.
    expect((await pending('deleteContacts', { contactIds: [contactId] })).warnings).toEqual([backtest(2, 0), allows]);
    // Words alone change no decision.
    expect((await pending('updateContact', { contactId, label: uniqueName('Other') })).warnings).toBeUndefined();

    const symbol = 'ACMEUSD';
    const condition = `activity.kind == 'SIGN_TRANSACTION' && effects.filter(e, e.kind == 'TRANSFER').all(e, e.symbol == '${symbol}')`;
    await both('createPolicy', policyParams('ALLOW', { condition, consensus: userIs(payer) }));
    const token = (of: string) => ({
      asset: 'eip155:1/erc20:0x8888888888888888888888888888888888888888',
      symbol: of,
      decimals: 6,
    });
    const listed = await pending('createTokens', { tokens: [token(symbol)] });
    expect(listed.warnings).toEqual([backtest(0, 0), depends('')]);
    expect((await pending('createTokens', { tokens: [token('OTHER')] })).warnings).toEqual([backtest(0, 0), none]);
  });

  test('D559: a change that needs no approval carries no such warnings', async () => {
    const { both, first, userTagId, roots } = await createWorld(subject().service.root);
    await both('updateRootQuorum', { threshold: 1, userIds: roots.map(({ userId }) => userId) });
    const { body } = await first.caller
      .with({ dialect: 'turnkey' })
      .submit('createUsers', { users: [{ ...userParams(newApiKey()), userTags: [userTagId] }] });
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect((await detailsOf(first.caller, body.activity.id)).warnings).toBeUndefined();
  });

  test('D518: where reading is restricted, the warnings of such a change are withheld from its submitter', async () => {
    const { both, first, second, payer, other, userTagId } = await createWorld(subject().service.root);
    const condition = "activity.kind == 'UPDATE_USER_TAG'";
    await both('createPolicy', policyParams('ALLOW', { condition, consensus: `${userIs(payer)} && ${userIs(second)}` }));
    await both('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
    const add = { userTagId, addUserIds: [other.userId], removeUserIds: [] };
    const { id } = await submitPending(payer.caller, 'updateUserTag', add);
    const withheld = 'WITHHELD: what the change leads to is shown to users who may use backtest_policies';
    expect((await detailsOf(payer.caller, id)).warnings).toEqual([withheld]);
    expect((await detailsOf(first.caller, id)).warnings).toEqual([backtest(0, 0), depends('any user')]);
  });
});
