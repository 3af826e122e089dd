import {
  cosign,
  formatNote,
  formatVerifierKey,
  parseNote,
  parseVerifierKey,
  type SignerKey,
  verifierKeyOf,
} from '@countersign/tlog';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createPrivateKey, createWallet, signParams } from '../../support/world.ts';
import {
  createOrganization,
  createPolicy,
  fingerprintOf,
  memberAt,
  type Organization,
  someOf,
  userIs,
} from '../policies/support.ts';
import { createCustomer, mailSettings } from '../sign-in/mail-support.ts';
import { newestCode } from '../sign-in/otp-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { exportAudit, logKey, mended, verifyText } from './audit-support.ts';
import { forge, forgedLogKey } from './forge.ts';

const unsignedTransaction = `02e70180843b9aca00847735940082520894${'11'.repeat(20)}0180c0`;

describeEngines('audit files', (subject) => {
  let organization: Organization;
  let text: string;
  let key: string;
  let lines: string[];
  let halfTimeMs: number;

  beforeAll(async () => {
    const { service } = subject();
    key = await logKey(service.url);
    organization = await createOrganization(service.root.with({ dialect: 'turnkey' }), { roots: 2, members: 3 });
    const { root, members } = organization;
    const [alice, bob, carol] = [0, 1, 2].map((index) => memberAt(organization, index)) as [Member, Member, Member];
    const { addresses } = await createWallet(root);
    const [address] = addresses as [string];
    const privateKey = await createPrivateKey(root, 'CURVE_ED25519');
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: userIs(alice) });
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: someOf(2, members.slice(1)) });
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'CREDENTIAL'", consensus: userIs(bob) });
    await alice.caller.result('signRawPayload', signParams(address));
    await alice.caller.result('signTransaction', { signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
    await root.result('signRawPayloads', {
      ...signParams(privateKey),
      payloads: ['00', '01'],
      payload: undefined,
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE',
    });
    // Bob asks, Carol approves; then Bob asks and Carol rejects.
    halfTimeMs = Date.now();
    for (const vote of ['approveActivity', 'rejectActivity'] as const) {
      const asked = await bob.caller.submit('signRawPayload', signParams(address));
      expect(asked.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      await carol.caller.submit(vote, { fingerprint: asked.body.activity.fingerprint });
    }
    // A policy lets Bob add a key to somebody else, and nobody lets Carol do it.
    const params = () => ({ userId: alice.userId, apiKeys: [apiKeyParams(newApiKey('SIGNATURE_SCHEME_TK_API_SECP256K1'))] });
    await bob.caller.result('createApiKeys', params());
    expect((await carol.caller.submit('createApiKeys', params())).status).toBe(403);
    // A session of her own, which signs.
    const session = newApiKey();
    await alice.caller.result('stampLogin', { publicKey: session.publicKey });
    await alice.caller.with({ key: session }).result('signRawPayload', signParams(address));
    text = await exportAudit(root);
    lines = text.trimEnd().split('\n');
  });

  type Member = Organization['members'][number];

  async function expectRefused(changed: string | Uint8Array, because?: RegExp): Promise<void> {
    const verdict = await verifyText(changed, key);
    expect(verdict.ok).toBe(false);
    if (because !== undefined && !verdict.ok) expect(verdict.failure.reason).toMatch(because);
  }

  test('R6: a file proves every stamp, decision, change and signature with the key of the log alone', async () => {
    const verdict = await verifyText(text, key);
    expect(verdict).toMatchObject({
      ok: true,
      report: {
        organizationId: organization.id,
        createdBy: subject().service.first.organizationId,
        activities: 15,
        stamps: 17,
        decisions: 16,
        rejections: 1,
        signatures: 6,
        bodiesWithheld: 0,
        decisionsNotJudged: 0,
        openingsOnly: 0,
      },
    });
    // The portable checks come to the same.
    expect(await verifyText(text, key, { checks: undefined as never })).toEqual(verdict);
  });

  test('a time range includes everything that its decisions depend on, without earlier signatures', async () => {
    const part = await exportAudit(organization.root, { since: halfTimeMs });
    const verdict = await verifyText(part, key);
    expect(verdict).toMatchObject({ ok: true, report: { openingsOnly: 3, signatures: 2 } });
    expect(part.length).toBeLessThan(text.length);
    const early = await verifyText(await exportAudit(organization.root, { until: halfTimeMs - 1 }), key);
    expect(early).toMatchObject({ ok: true, report: { signatures: 4 } });
  });

  test('D102: a flipped bit at any of hundreds of places is refused, even with repaired hashes', async () => {
    const small = await createOrganization(subject().service.root.with({ dialect: 'turnkey' }), { members: 1 });
    const member = memberAt(small, 0);
    await createPolicy(small.root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: userIs(member) });
    await member.caller.result('signRawPayload', signParams(await createPrivateKey(small.root)));
    const whole = await exportAudit(small.root);
    expect(await verifyText(whole, key)).toMatchObject({ ok: true, report: { signatures: 1 } });
    const bytes = Buffer.from(whole);
    const flip = fc.record({ at: fc.nat(bytes.length - 1), bit: fc.nat(7) });
    await fc.assert(
      fc.asyncProperty(flip, async ({ at, bit }) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ (1 << bit);
        await expectRefused(changed);
        // The digest at the end finds damage. Whoever means it writes another one.
        const damaged = changed.toString('utf8');
        const again = mended(damaged);
        if (Buffer.from(damaged).equals(changed) && again !== whole) await expectRefused(again);
      }),
      { numRuns: 250 },
    );
  }, 240_000);

  test('D103: lines that are left out, repeated, moved or cut off are refused', async () => {
    const rest = (change: (list: string[]) => string[]) => mended(`${change([...lines]).join('\n')}\n`);
    for (let at = 1; at < lines.length - 1; at++) {
      await expectRefused(rest((list) => list.filter((_, index) => index !== at)));
      await expectRefused(rest((list) => list.flatMap((line, index) => (index === at ? [line, line] : [line]))));
      if (at + 2 < lines.length)
        await expectRefused(
          rest((list) => [...list.slice(0, at), list[at + 1] as string, list[at] as string, ...list.slice(at + 2)]),
        );
      await expectRefused(`${lines.slice(0, at).join('\n')}\n`, /ends before its end/);
    }
    await expectRefused(text.slice(0, -1), /truncated/);
    await expectRefused(`${text}${lines.at(-1)}\n`, /after the end/);
    await expectRefused('', /empty/);
  });

  test('D104: the leaves of one organization do not pass for those of another', async () => {
    const other = await createOrganization(subject().service.root.with({ dialect: 'turnkey' }));
    await createPrivateKey(other.root);
    const foreign = (await exportAudit(other.root)).trimEnd().split('\n');
    const at = (list: readonly string[], index: number) => list.at(index) as string;
    await expectRefused(mended(`${[...lines.slice(0, -1), at(foreign, -2), at(lines, -1)].join('\n')}\n`));
    await expectRefused(mended(`${[at(lines, 0), ...foreign.slice(1)].join('\n')}\n`), /another organization/);
    await expectRefused(mended(`${[at(foreign, 0), ...lines.slice(1)].join('\n')}\n`), /another organization/);
  });

  test('D105: a checkpoint that is older or newer than the leaves is refused', async () => {
    const { root } = organization;
    await createPrivateKey(root);
    const newer = (await exportAudit(root)).trimEnd().split('\n');
    await expectRefused(mended(`${[...newer.slice(0, -1), lines.at(-1)].join('\n')}\n`), /older than the leaves|do not lead/);
    await expectRefused(mended(`${[...lines.slice(0, -1), newer.at(-1)].join('\n')}\n`), /missing|do not lead/);
  });

  test('D106: refuses the key of another log and a witness without a cosignature; names a witness with one', async () => {
    expect(await verifyText(text, forgedLogKey)).toMatchObject({ ok: false });
    const witness: SignerKey = { name: 'witness.example', type: 'cosignature', seed: new Uint8Array(32).fill(3) };
    const witnessKeys = [formatVerifierKey(verifierKeyOf(witness))];
    const verdict = await verifyText(text, key, { witnessKeys });
    expect(verdict).toMatchObject({ ok: false, failure: { reason: expect.stringMatching(/witness.example did not cosign/) } });
    const end = JSON.parse(lines.at(-1) as string).end;
    const note = parseNote(end.checkpoint);
    const checkpoint = formatNote({ ...note, signatures: [...note.signatures, cosign(note.text, witness, 1_800_000_000n)] });
    const seen = `${lines.slice(0, -1).join('\n')}\n${JSON.stringify({ end: { ...end, checkpoint } })}\n`;
    expect(await verifyText(seen, key, { witnessKeys })).toMatchObject({
      ok: true,
      report: { log: { witnesses: ['witness.example'] } },
    });
  });

  test('D106: a witness with the log’s own key, or with two names, does not count', async () => {
    const seed = new Uint8Array(32).fill(3);
    const named = (name: string): string => formatVerifierKey(verifierKeyOf({ name, type: 'cosignature', seed }));
    const reason = expect.stringMatching(/its own key/);
    const twice = await verifyText(text, key, { witnessKeys: [named('one.example'), named('two.example')] });
    expect(twice).toMatchObject({ ok: false, failure: { reason } });
    const { publicKey } = parseVerifierKey(key.trim());
    const itself = formatVerifierKey({ name: 'witness.example', type: 'cosignature', publicKey });
    expect(await verifyText(text, key, { witnessKeys: [itself] })).toMatchObject({ ok: false, failure: { reason } });
  });

  test('A59: a page of large bodies ends early, and the file is still complete', async () => {
    const large = await createOrganization(subject().service.root.with({ dialect: 'turnkey' }), { roots: 1, members: 0 });
    const { addresses } = await createWallet(large.root);
    const payload = 'a'.repeat(500_000);
    for (let count = 0; count < 15; count++)
      await large.root.result('signRawPayload', {
        ...signParams(addresses[0] as string),
        payload: `${payload}${count}`,
        encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
        hashFunction: 'HASH_FUNCTION_KECCAK256',
      });
    const page: Json = await large.root.data('listAuditRecords', { limit: '1000' });
    expect(page.end).toBeUndefined();
    expect(JSON.stringify(page).length).toBeLessThan(8_000_000);
    const whole = await exportAudit(large.root, {}, '1000');
    expect(await verifyText(whole, key)).toMatchObject({ ok: true, report: { signatures: 15 } });
  });

  test('D107: removed, added or re-encoded content is refused', async () => {
    const change = (at: number, edit: (leaf: Json) => void) => {
      const leaf = JSON.parse(lines[at] as string);
      edit(leaf);
      return mended(`${lines.map((line, index) => (index === at ? JSON.stringify(leaf) : line)).join('\n')}\n`);
    };
    for (let at = 1; at < lines.length - 1; at++) {
      await expectRefused(change(at, (leaf) => delete leaf.content));
      for (const name of Object.keys(JSON.parse(lines[at] as string).content))
        await expectRefused(change(at, (leaf) => delete leaf.content[name]));
      await expectRefused(change(at, (leaf) => (leaf.content.note = 'approved by the board')));
    }
    await expectRefused(mended(text.replace('{"index"', '{ "index"')), /canonical form/);
    // A signature before the time that was asked for has no content, unless it goes on later.
    await expectRefused(mended(text.replace('"since":null', '"since":9999999999999')), /does not continue/);
  });

  describe('a dishonest log', () => {
    type Change = Parameters<typeof forge>[1];
    const isType = (type: string) => (leaf: Json) => leaf.opening.type.includes(type);
    const verdictOf = (change: Change) => verifyText(forge(text, change), forgedLogKey);
    async function expectLie(change: Change, reason: RegExp): Promise<void> {
      expect(await verdictOf(change)).toMatchObject({ ok: false, failure: { reason: expect.stringMatching(reason) } });
    }

    test('control: the same leaves in another log verify', async () => {
      expect(await verdictOf(() => undefined)).toMatchObject({ ok: true });
    });

    test('D108: a decision that does not follow, or a result of another key, is refused', async () => {
      await expectLie((leaves) => {
        leaves.find(isType('SIGN_TRANSACTION')).content.decision.policyIds = [];
      }, /repeated decision/);
      await expectLie((leaves) => {
        const denied = leaves.findLast(isType('CREATE_API_KEYS'));
        denied.opening.status = 'ACTIVITY_STATUS_COMPLETED';
        denied.content.decision = { ...denied.content.decision, outcome: 'ALLOW', by: 'POLICY' };
        denied.content.result = { apiKeyIds: [] };
      }, /repeated decision/);
      await expectLie((leaves) => {
        const [one, other] = leaves.filter(isType('SIGN_RAW_PAYLOAD_V2'));
        one.content.result = other.content.result ?? { r: '00', s: '00', v: '00' };
      }, /does not verify with the key/);
      await expectLie((leaves) => {
        const { content } = leaves.find(isType('SIGN_TRANSACTION'));
        content.result.signedTransaction = content.result.signedTransaction.replace('1111', '2222');
      }, /not the requested one/);
    });

    test('D108: an invented policy, or one whose creation is omitted, contradicts the decisions', async () => {
      await expectLie(
        (leaves) => leaves.filter((leaf) => !isType('CREATE_POLICY')(leaf)),
        /repeated decision|another version of policy/,
      );
      await expectLie((leaves) => {
        leaves.find(isType('CREATE_POLICY')).content.changed.changes[0].body.condition = 'true';
      }, /its parameters do not explain/);
    });

    test('D109: a foreign stamp, an altered body and a reused body are refused', async () => {
      const signature = (leaves: Json[]) => leaves.find(isType('SIGN_TRANSACTION')).content.vote;
      await expectLie((leaves) => {
        signature(leaves).signature = leaves.find(isType('CREATE_POLICY')).content.vote.signature;
      }, /does not verify/);
      await expectLie((leaves) => {
        const leaf = leaves.find(isType('SIGN_TRANSACTION'));
        leaf.content.vote.body = leaf.content.vote.body.replace('1111', '2222');
      }, /fingerprint/);
      await expectLie((leaves) => {
        const leaf = leaves.find(isType('SIGN_TRANSACTION'));
        leaf.content.vote.body = leaf.content.vote.body.replace('1111', '2222');
        leaf.opening.fingerprint = fingerprintOf(leaf.content.vote.body);
      }, /does not verify/);
      await expectLie((leaves) => {
        const leaf = structuredClone(leaves.find(isType('SIGN_TRANSACTION')));
        leaf.opening.activityId = leaf.opening.activityId.replace(/.$/, '0');
        return [...leaves, leaf];
      }, /already executed/);
      await expectLie((leaves) => {
        delete signature(leaves).body;
      }, /contains no secret/);
    });

    test('D127: a body outside its timestamp window is refused', async () => {
      const part = await exportAudit(organization.root, { since: halfTimeMs });
      const again = forge(part, (leaves) => {
        const leaf = structuredClone(leaves.find((each) => isType('SIGN_RAW_PAYLOAD_V2')(each) && each.content === undefined));
        leaf.opening.activityId = leaf.opening.activityId.replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0'));
        return [...leaves, leaf];
      });
      expect(
        await verifyText(
          forge(part, () => undefined),
          forgedLogKey,
        ),
      ).toMatchObject({ ok: true });
      expect(await verifyText(again, forgedLogKey)).toMatchObject({
        ok: false,
        failure: { reason: expect.stringMatching(/already executed/) },
      });
      await expectLie((leaves) => {
        for (const { opening, content } of leaves.slice(1)) {
          opening.timeMs += 2 * 60 * 60 * 1000;
          if (content.decision !== undefined) content.decision.createdAtMs = opening.timeMs;
        }
      }, /too long before/);
    });

    test('D127: a decision after a change that the file does not show is refused', async () => {
      const changed = (leaves: Json[]) => {
        const policy = leaves.find(isType('CREATE_POLICY'));
        policy.opening.timeMs = 9_999_999_999_999;
        delete policy.content;
      };
      const part = text.replace('"until":null', '"until":9999999999998');
      expect(await verifyText(forge(part, changed), forgedLogKey)).toMatchObject({
        ok: false,
        failure: { reason: expect.stringMatching(/content is not in the file/) },
      });
    });

    test('D128: a policy that was created but not applied is refused', async () => {
      await expectLie((leaves) => {
        const last = leaves.findLast(isType('CREATE_POLICY'));
        delete last.content.changed;
      }, /it is completed, but/);
    });

    test('D110: unrequested users, credentials and quorums are refused', async () => {
      const changes = (leaves: Json[], type: string) => leaves.find(isType(type)).content.changed.changes;
      const intruder = newApiKey();
      await expectLie((leaves) => {
        changes(leaves, 'CREATE_USERS').find(({ put }: Json) => put === 'apiKey').body.publicKey = intruder.publicKey;
      }, /do not explain/);
      await expectLie((leaves) => {
        const given = changes(leaves, 'CREATE_API_KEYS');
        given.push({ ...structuredClone(given[0]), id: 'another' });
      }, /do not explain/);
      await expectLie((leaves) => {
        const created = changes(leaves, 'CREATE_SUB_ORGANIZATION')[0];
        created.changes.find(({ put }: Json) => put === 'organization').body.rootQuorum.threshold = 0;
      }, /do not explain/);
      await expectLie((leaves) => {
        changes(leaves, 'CREATE_WALLET').find(({ put }: Json) => put === 'walletAccount').body.publicKey = `02${'11'.repeat(32)}`;
      }, /./);
      await expectLie((leaves) => {
        changes(leaves, 'STAMP_LOGIN')[0].body.type = 'CREDENTIAL_TYPE_API_KEY_P256';
      }, /do not explain/);
      await expectLie((leaves) => {
        delete leaves.find(isType('CREATE_API_KEYS')).content.decision.subject;
      }, /repeated decision|does not list/);
    });
  });
});

const inbox = await startInbox();
afterAll(() => inbox.stop());

describeEngines(
  'audit files of sub-organizations whose users sign in by code',
  (subject) => {
    test('D101: a file without codes and votes of the parent still verifies', async () => {
      const { backend, own, email } = await createCustomer(subject().service.root);
      const { otpId } = await backend.result('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: email });
      const otpCode = await newestCode(inbox, email);
      await backend.result('otpAuth', { otpId, otpCode, targetPublicKey: newTarget().hex });
      const text = await exportAudit(own);
      const verdict = await verifyText(text, await logKey(subject().service.url));
      expect(verdict).toMatchObject({ ok: true, report: { judgedByParent: 2, bodiesWithheld: 1 } });
      expect(text).not.toContain(otpCode);
      const leaves = text.trimEnd().split('\n').slice(1, -1);
      const judged = leaves.map((line) => JSON.parse(line)).filter(({ content }) => content.judgedBy !== undefined);
      for (const { content } of judged) expect(Object.keys(content)).not.toEqual(expect.arrayContaining(['vote', 'decision']));
    });
  },
  { config: mailSettings(inbox) },
);
