import { expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createWallet, type Member } from '../../support/world.ts';
import { limitEther, transferParams } from '../usage/support.ts';
import { approve, createOrganization, detailsOf, memberAt, outcomeOf, policyParams, submitPending, userIs } from './support.ts';

type Names = Parameters<typeof submitPending>[1];

/** An organization in which two root users change rules, and a member signs by a policy that names a limit. */
async function createWorld(parent: Parameters<typeof createOrganization>[0]) {
  const organization = await createOrganization(parent, { roots: 2, members: 2 });
  const { root, roots } = organization;
  const [first, second] = roots as [Member, Member];
  const member = memberAt(organization, 0);
  const { addresses } = await createWallet(root);
  const address = addresses[0] as string;
  const limitId = await limitEther(root, { threshold: '0.005', seconds: 3600 });
  const condition = "activity.kind == 'SIGN_TRANSACTION' && controls.ether";
  const paying = await root.result('createPolicy', policyParams('ALLOW', { condition, consensus: userIs(member) }));
  await root.result('updateRootQuorum', { threshold: 2, userIds: roots.map(({ userId }) => userId) });
  /** The warnings that the second root user reads before the vote. */
  const pending = async (name: Names, params: object) => {
    const submitted = await submitPending(first.caller, name, params);
    return { ...submitted, warnings: (await detailsOf(second.caller, submitted.id)).warnings as readonly string[] };
  };
  const both = async (name: Names, params: object) => {
    const submitted = await pending(name, params);
    expect(outcomeOf(await approve(second, submitted))).toBe('200 COMPLETED');
    return submitted;
  };
  const spend = (thousandths: number) => member.caller.submit('signTransaction', transferParams(address, thousandths));
  return { ...organization, member, address, limitId, payingId: paying.policyId as string, pending, both, spend };
}

const starting = (start: string) => (warning: string) => warning.startsWith(start);

describeEngines('warnings about changes of policies and limits', (subject) => {
  test('D519: approvers of a changed limit see past requests and the worst cases of the policies that name it', async () => {
    const { limitId, pending, spend } = await createWorld(subject().service.root);
    for (const thousandths of [1, 2]) expect(outcomeOf(await spend(thousandths))).toBe('200 COMPLETED');
    expect((await spend(4)).status).toBe(403);
    const limit = { velocityControlId: limitId };

    const lowered = await pending('updateVelocityControl', { ...limit, newThreshold: '0.001' });
    expect(lowered.warnings[0]).toMatch(/^BACKTEST: would have denied 1 of the last \d+, allowed 0 more.* \(a sample: /);
    expect(lowered.warnings.filter(starting('WORST_CASE'))).toEqual([
      expect.stringMatching(/^WORST_CASE: policy "Policy.*": (none of \d+ tried requests is allowed|as before: )/),
    ]);

    const until = String(Date.now() + 3_600_000);
    for (const raised of [
      await pending('updateVelocityControl', { ...limit, newThreshold: '1000000' }),
      await pending('raiseVelocityControl', { ...limit, newThreshold: '1000000', until }),
    ]) {
      expect(raised.warnings[0]).toMatch(/^BACKTEST: would have denied 0 of the last \d+, allowed 1 more/);
      expect(raised.warnings.filter(starting('WORST_CASE'))).toEqual([
        expect.stringMatching(/^WORST_CASE: policy "Policy.*": new: the user ".*" may .*send any amount of the coin to anyone/),
      ]);
    }

    const same = await pending('resetVelocityControl', limit);
    expect(same.warnings[0]).toMatch(/^BACKTEST: would have denied 0 of the last \d+, allowed 0 more/);
  });

  test('D519: a limit that no policy names changes no decision, and the warnings say so', async () => {
    const { both, pending, root } = await createWorld(subject().service.root);
    const made = await both('createVelocityControl', {
      name: 'Other',
      identifier: 'other_ether',
      dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
      aggregation: {
        method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
        operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
        threshold: '1',
        window: { infinite: {} },
        groupBy: { organization: {} },
      },
    });
    const unnamed = 'WORST_CASE: no policy names controls.other_ether, so no decision changes';
    expect(made.warnings).toEqual([expect.stringMatching(/^BACKTEST: would have denied 0 of /), unnamed]);
    const { velocityControls } = await root.data('listVelocityControls');
    const [other] = velocityControls.filter(({ identifier }: Json) => identifier === 'other_ether');
    const removed = await pending('deleteVelocityControl', { velocityControlId: other.velocityControlId });
    expect(removed.warnings).toEqual([expect.stringMatching(/^BACKTEST: would have denied 0 of /), unnamed]);
  });

  test('D519: approvers see which hashes an ALLOW kept a key from signing, before they remove it', async () => {
    const { both, pending, payingId, member, address } = await createWorld(subject().service.root);
    const raw = { condition: "activity.kind == 'SIGN_RAW_PAYLOAD'", consensus: userIs(member) };
    await both('createPolicy', policyParams('ALLOW', raw));
    const form = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' };
    const hash = { signWith: address, payload: 'ab'.repeat(32), ...form };
    expect((await member.caller.submit('signRawPayload', hash)).status).toBe(403);
    const removed = await pending('deletePolicy', { policyId: payingId });
    expect(removed.warnings[0]).toMatch(/^BACKTEST: would have denied 0 of the last \d+, allowed 1 more/);
    expect(removed.warnings.filter(starting('WORST_CASE'))).toEqual([
      expect.stringMatching(/^WORST_CASE: without policy "Policy.*": the user ".*" may then sign any digest/),
    ]);
  });

  test('D148: approvers of removed policies see how past requests would have ended', async () => {
    const { pending, payingId, spend } = await createWorld(subject().service.root);
    expect(outcomeOf(await spend(1))).toBe('200 COMPLETED');
    for (const removed of [
      await pending('deletePolicy', { policyId: payingId }),
      await pending('deletePolicies', { policyIds: [payingId] }),
    ]) {
      expect(removed.warnings[0]).toMatch(/^BACKTEST: would have denied 1 of the last \d+, allowed 0 more/);
      expect(removed.warnings[1]).toMatch(/^WORST_CASE: without policy ".*": none of \d+ tried requests becomes possible$/);
    }
  });

  test('D517: a change is tried on the newest 100 activities, however many there are', async () => {
    const { pending, spend, payingId } = await createWorld(subject().service.root);
    for (let count = 0; count < 3; count++) expect(outcomeOf(await spend(1))).toBe('200 COMPLETED');
    const removal = { policyId: payingId };
    expect((await pending('deletePolicy', removal)).warnings[0]).toMatch(/^BACKTEST: would have denied 3 of the last \d+, /);
    for (let count = 0; count < 100; count++) expect((await spend(9)).status).toBe(403);
    expect((await pending('deletePolicy', removal)).warnings[0]).toMatch(
      /^BACKTEST: would have denied 0 of the last \d+, .*a sample: \d+ of the newest activities/,
    );
  });

  test('D521: approvers see that rules changed after the warnings were written', async () => {
    const { both, pending, roots, payingId, limitId } = await createWorld(subject().service.root);
    const { caller } = roots[1] as Member;
    const outdated = expect.stringMatching(/^OUTDATED: policies or limits changed/);
    const warningsOf = async (id: string) => (await detailsOf(caller, id)).warnings;
    const waiting = await pending('deletePolicy', { policyId: payingId });
    await both('createUserTag', { userTagName: 'other', userIds: [] });
    expect(await warningsOf(waiting.id)).toEqual(waiting.warnings);
    const other = await both('createPolicy', policyParams('DENY', { condition: "activity.kind == 'EXPORT_WALLET'" }));
    expect(await warningsOf(waiting.id)).toEqual([outdated, ...waiting.warnings]);
    const again = await pending('updateVelocityControl', { velocityControlId: limitId, newThreshold: '1' });
    expect(again.warnings).not.toContainEqual(outdated);
    const { policyId } =
      (await detailsOf(caller, other.id)).result.createPolicyResult ?? (await detailsOf(caller, other.id)).result;
    await both('deletePolicy', { policyId });
    expect(await warningsOf(again.id)).toEqual([outdated, ...again.warnings]);
    // What was decided stays as it was.
    expect(await warningsOf(other.id)).not.toContainEqual(outdated);
  });

  test('D518: where reading is restricted, a submitter learns nothing about others from the warnings of changes', async () => {
    const { both, roots, members, member } = await createWorld(subject().service.root);
    const [submitter, reader] = members as [Member, Member];
    const rules = { condition: "activity.resource == 'POLICY' && activity.action == 'CREATE'", consensus: userIs(submitter) };
    await both('createPolicy', policyParams('ALLOW', rules));
    await both('createPolicy', policyParams('ALLOW', { condition: "activity.action == 'READ'", consensus: userIs(reader) }));
    const probe = () =>
      policyParams('DENY', { condition: `activity.kind == 'CREATE_WALLET' && activity.params.wallet_name == 'x'` });
    const open = await member.caller.with({ dialect: 'turnkey' }).submit('createPolicy', probe());
    expect(open.body.activity.warnings).toContainEqual(expect.stringMatching(/^BACKTEST: /));
    await both('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
    const withheld = 'WITHHELD: what the change leads to is shown to users who may use backtest_policies';
    const { body } = await submitter.caller.with({ dialect: 'turnkey' }).submit('createPolicy', probe());
    const { id } = body.activity;
    for (const warnings of [body.activity.warnings, (await detailsOf(submitter.caller, id)).warnings]) {
      expect(warnings).toContain(withheld);
      expect(warnings.join()).not.toMatch(/BACKTEST|WORST_CASE/);
    }
    const shown = expect.arrayContaining([expect.stringMatching(/^BACKTEST: /)]);
    expect((await detailsOf(reader.caller, id)).warnings).toEqual(shown);
    expect((await detailsOf((roots[0] as Member).caller, id)).warnings).toEqual(shown);
  });
});
