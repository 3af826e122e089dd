import { beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createPrivateKey,
  createWallet,
  errorOf,
  type Member,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import {
  createOrganization,
  createPolicy,
  detailsOf,
  memberAt,
  type Organization,
  outcomeOf,
  policyParams,
  userIs,
} from './support.ts';

const ALLOWED = '200 COMPLETED';
const DENIED = '403 POLICY_DENIED';
/** The same in the compatible dialect. */
const REFUSED = '403 REQUEST_NOT_AUTHORIZED';

describeEngines('policies on parameters', (subject) => {
  let organization: Organization;
  let root: Organization['root'];
  let user: Member;
  let other: Member;

  beforeAll(async () => {
    organization = await createOrganization(subject().service.root, { members: 2 });
    root = organization.root;
    [user, other] = [memberAt(organization, 0), memberAt(organization, 1)];
    await root.result('updateUser', { userId: other.userId, userEmail: 'Ceo@Example.com' });
  });

  /** Runs with policies in force, and takes them back. */
  async function under(policies: readonly Parameters<typeof policyParams>[], run: () => Promise<void>): Promise<void> {
    const made = [];
    for (const [effect, expressions] of policies) made.push(await createPolicy(root, effect, expressions));
    await run();
    await root.result('deletePolicies', { policyIds: made });
  }

  const submit = async (member: Member, ...call: Parameters<Member['caller']['submit']>) =>
    outcomeOf(await member.caller.submit(...call));

  describe('a DENY applies if the activity has its parameter', () => {
    const session = (more: object = {}) => ({ targetPublicKey: newTarget().hex, ...more });

    test('sessions have a user_id, however the request names the user', async () => {
      const allowed = { condition: "activity.kind == 'CREATE_READ_WRITE_SESSION'", consensus: userIs(user) };
      const denied = { condition: `activity.params.user_id == '${other.userId}'` };
      await under(
        [
          ['ALLOW', allowed],
          ['DENY', denied],
        ],
        async () => {
          expect(await submit(user, 'createReadWriteSession', session({ userId: other.userId }))).toBe(DENIED);
          const byMail = { ...session(), email: 'CEO@example.COM' };
          const type = 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION';
          expect(await submit(user, 'createReadWriteSession', byMail, { type })).toBe(DENIED);
          // The user whom it is about leaves the id out: the session is that user's all the same.
          expect(await submit(other, 'createReadWriteSession', session())).toBe(DENIED);
          expect(await submit(user, 'createReadWriteSession', session())).toBe(ALLOWED);
        },
      );
    });

    test('a DENY on the e-mail address holds for a session by id', async () => {
      const denied = { condition: "activity.params.email == 'ceo@example.com'" };
      await under([['DENY', denied]], async () => {
        expect(await submit(other, 'createReadWriteSession', session({ userId: other.userId }))).toBe(DENIED);
        expect(await submit(user, 'createReadWriteSession', session({ userId: user.userId }))).toBe(ALLOWED);
      });
    });

    test('an omitted lifetime has its default in policies', async () => {
      await under([['DENY', { condition: 'activity.params.expiration_seconds > 900' }]], async () => {
        expect(await submit(user, 'createReadWriteSession', session({ expirationSeconds: '901' }))).toBe(DENIED);
        expect(await submit(user, 'createReadWriteSession', session({ expirationSeconds: '900' }))).toBe(ALLOWED);
        expect(await submit(user, 'createReadWriteSession', session())).toBe(ALLOWED);
      });
      await under([['DENY', { condition: 'activity.params.expiration_seconds >= 900' }]], async () => {
        expect(await submit(user, 'createReadWriteSession', session())).toBe(DENIED);
        expect(await submit(user, 'createReadWriteSession', session({ expirationSeconds: '899' }))).toBe(ALLOWED);
      });
    });

    test('a lifetime that a session profile sets is the one that policies see', async () => {
      const profiles = subject().service.root.with({ dialect: 'turnkey' });
      const { sessionProfileId } = await profiles.result('createSessionProfile', {
        sessionProfileName: uniqueName('Profile'),
        scope: "activity.action == 'SIGN'",
        expirationSeconds: '7200',
      });
      const login = (more: object = {}) => ({ publicKey: newApiKey().publicKey, expirationSeconds: '600', ...more });
      await under([['DENY', { condition: 'activity.params.expiration_seconds > 3600' }]], async () => {
        expect(await submit(user, 'stampLogin', login({ sessionProfileId }))).toBe(DENIED);
        expect(await submit(user, 'stampLogin', login())).toBe(ALLOWED);
      });
    });

    test('ended sessions have a user_id too, named by key, by nobody or for all', async () => {
      const allowed = { condition: "activity.kind == 'END_SESSIONS'", consensus: userIs(user) };
      const denied = { condition: `activity.params.user_id == '${other.userId}'` };
      const { apiKeyId } = await other.caller.result('createReadWriteSession', session());
      const own = await user.caller.result('createReadWriteSession', session());
      await under(
        [
          ['ALLOW', allowed],
          ['DENY', denied],
        ],
        async () => {
          for (const named of [{ userId: other.userId }, { apiKeyId }, { all: true }])
            expect(await submit(user, 'endSessions', named), JSON.stringify(named)).toBe(DENIED);
          expect(await submit(user, 'endSessions', { apiKeyId: own.apiKeyId })).toBe(ALLOWED);
          expect(await submit(user, 'endSessions', {})).toBe(ALLOWED);
        },
      );
    });

    test('a key without expiration does not bypass a maximum lifetime', async () => {
      const keys = (more: object = {}) => ({ userId: user.userId, apiKeys: [apiKeyParams(newApiKey(), more)] });
      const denied = { condition: 'activity.params.api_keys.any(key, key.expiration_seconds > 86400)' };
      await under([['DENY', denied]], async () => {
        expect(await submit(user, 'createApiKeys', keys({ expirationSeconds: '86401' }))).toBe(DENIED);
        expect(await submit(user, 'createApiKeys', keys())).toBe(DENIED);
        expect(await submit(user, 'createApiKeys', keys({ expirationSeconds: '3600' }))).toBe(ALLOWED);
      });
    });
  });

  describe('another spelling does not bypass a policy', () => {
    test('of an e-mail address', async () => {
      const allowed = { condition: "activity.kind == 'CREATE_USERS'", consensus: userIs(user) };
      const denied = { condition: "activity.params.users.any(u, u.user_email == 'boss@example.com')" };
      const users = (userEmail: string) => ({ users: [{ ...userParams(newApiKey()), userEmail }] });
      await under(
        [
          ['ALLOW', allowed],
          ['DENY', denied],
        ],
        async () => {
          expect(await submit(user, 'createUsers', users('BOSS@Example.com'))).toBe(DENIED);
          expect(await submit(user, 'createUsers', users('clerk@example.com'))).toBe(ALLOWED);
          const without = { users: [userParams(newApiKey())] };
          expect(await submit(user, 'createUsers', without)).toBe(ALLOWED);
        },
      );
    });

    test('of a key that signs: an account by its address, a private key by its id', async () => {
      const { addresses } = await createWallet(root, 2);
      const [address, spare] = addresses as [string, string];
      const privateKeyId = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
      const { privateKey } = await root.data('getPrivateKey', { privateKeyId });
      const allowed = { condition: "activity.action == 'SIGN'", consensus: userIs(user) };
      const denied = {
        condition: `activity.params.sign_with in ['${address.toUpperCase().replace('0X', '0x')}', '${privateKeyId}']`,
      };
      await under(
        [
          ['ALLOW', allowed],
          ['DENY', denied],
        ],
        async () => {
          for (const name of [address, address.toLowerCase(), privateKeyId, privateKey.addresses[0].address])
            expect(await submit(user, 'signRawPayload', signParams(name)), name).toBe(DENIED);
          expect(await submit(user, 'signRawPayload', signParams(spare))).toBe(ALLOWED);
        },
      );
    });

    test('of the key that an export is encrypted to', async () => {
      const { walletId } = await createWallet(root);
      const target = newTarget();
      const compressed = `${Number.parseInt(target.hex.slice(-2), 16) % 2 === 0 ? '02' : '03'}${target.hex.slice(2, 66)}`;
      const allowed = {
        condition: `activity.kind == 'EXPORT_WALLET' && activity.params.wallet_id == '${walletId}'`,
        consensus: userIs(user),
      };
      for (const literal of [target.hex.toUpperCase(), compressed]) {
        await under(
          [
            ['ALLOW', allowed],
            ['DENY', { condition: `activity.params.target_public_key == '${literal}'` }],
          ],
          async () => {
            for (const targetPublicKey of [target.hex, compressed])
              expect(await submit(user, 'exportWallet', { walletId, targetPublicKey })).toBe(DENIED);
            expect(await submit(user, 'exportWallet', { walletId, targetPublicKey: newTarget().hex })).toBe(ALLOWED);
          },
        );
      }
    });

    test('of a policy: selectors are seen as the condition that they mean', async () => {
      const allowed = { condition: "activity.kind == 'CREATE_POLICY'", consensus: userIs(user) };
      const denied = { condition: "activity.params.condition == ''" };
      const type = 'ACTIVITY_TYPE_CREATE_POLICY';
      const selectors = (...list: object[]) => ({
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_DENY',
        notes: '',
        selectors: list,
      });
      const about = { subject: 'activity.type', operator: 'OPERATOR_EQUAL', target: 'ACTIVITY_TYPE_CREATE_WALLET' };
      await under(
        [
          ['ALLOW', allowed],
          ['DENY', denied],
        ],
        async () => {
          expect(await submit(user, 'createPolicy', policyParams('DENY'))).toBe(DENIED);
          const compatible = { ...user, caller: user.caller.with({ dialect: 'turnkey' }) };
          expect(await submit(compatible, 'createPolicy', selectors(), { type })).toBe(REFUSED);
          expect(await submit(compatible, 'createPolicy', selectors(about), { type })).toBe(ALLOWED);
        },
      );
    });
  });

  describe('least privilege in an update', () => {
    let tagId: string;

    beforeAll(async () => {
      const { userTagId } = await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [other.userId] });
      tagId = userTagId;
    });

    const rename = ({ userId }: Member, more: object = {}) => ({ userId, userName: uniqueName('Renamed'), ...more });

    test('omitted tags are the current tags of the user', async () => {
      const condition = `activity.kind == 'UPDATE_USER' && !activity.params.user_tag_ids.contains('${tagId}')`;
      await under([['ALLOW', { condition, consensus: userIs(user) }]], async () => {
        expect(await submit(user, 'updateUser', rename(user))).toBe(ALLOWED);
        expect(await submit(user, 'updateUser', rename(user, { userTagIds: [tagId] }))).toBe(DENIED);
        expect(await submit(user, 'updateUser', rename(other, { userEmail: 'stolen@example.com' }))).toBe(DENIED);
      });
    });

    test('activity.given lists the fields of the request', async () => {
      const condition = "activity.kind == 'UPDATE_USER' && activity.given.all(name, name in ['user_id', 'user_name'])";
      await under([['ALLOW', { condition, consensus: userIs(user) }]], async () => {
        expect(await submit(user, 'updateUser', rename(other))).toBe(ALLOWED);
        expect(await submit(user, 'updateUser', rename(other, { userEmail: 'stolen@example.com' }))).toBe(DENIED);
        expect(await submit(user, 'updateUser', rename(other, { userTagIds: [] }))).toBe(DENIED);
      });
    });

    test('a time that an update removes is absent', async () => {
      const guarded = {
        ...policyParams('DENY', { condition: "activity.action == 'EXPORT'" }),
        time: "time.now > Timestamp('2020-01-01T00:00:00Z')",
      };
      const compatible = { ...user, caller: user.caller.with({ dialect: 'turnkey' }) };
      const { policyId } = await root.with({ dialect: 'turnkey' }).result('createPolicy', guarded);
      const condition = "activity.kind == 'UPDATE_POLICY' && activity.params.time != ''";
      await under([['ALLOW', { condition, consensus: userIs(user) }]], async () => {
        expect(await submit(compatible, 'updatePolicy', { policyId, policyNotes: 'kept' })).toBe(ALLOWED);
        expect(await submit(compatible, 'updatePolicy', { policyId, time: '' })).toBe(REFUSED);
      });
      await root.result('deletePolicy', { policyId });
    });
  });

  describe('a new policy', () => {
    test('that names a parameter no activity has is refused, with the nearest name', async () => {
      const answer = await root.submit('createPolicy', policyParams('DENY', { condition: "activity.params.userid == 'u'" }));
      expect(errorOf(answer)).toMatchObject({ status: 400, code: 'POLICY_INVALID', fields: ['condition'] });
      expect(answer.body.message).toContain('did you mean `user_id`?');
    });

    test('reports the activities to which it can apply', async () => {
      const answer = await root.submit(
        'createPolicy',
        policyParams('DENY', { condition: `activity.params.user_id == '${other.userId}'` }),
      );
      const { id } = answer.body.activity;
      const { warnings } = await detailsOf(root, id);
      const [warning] = warnings.filter((text: string) => text.startsWith('APPLIES_TO'));
      expect(warning).toContain('it can apply to CREATE_API_KEYS, DELETE_API_KEYS');
      expect(warning).toContain('CREATE_READ_WRITE_SESSION');
      expect(warning).toContain('this DENY stops nothing there');
      const { policyId } = answer.body.activity.result.activity.result.createPolicyResult;
      await root.result('deletePolicy', { policyId });
    });
  });
});
