import { setTimeout as sleep } from 'node:timers/promises';
import { describeReport, type Verdict } from '@countersign/verify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createWallet, signParams } from '../../support/world.ts';
import { createCustomer, mailSettings } from '../sign-in/mail-support.ts';
import { startInbox } from '../sign-in/smtp-inbox.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { exportAudit, logKey, mended, verifyText } from './audit-support.ts';
import { cutOff, linesOf, mirrored, withEnd, withLeaf } from './edit-file.ts';
import { forge, forgedLogKey } from './forge.ts';

const inbox = await startInbox();
afterAll(() => inbox.stop());

const isType = (type: string) => (leaf: Json) => leaf.opening.type.includes(type);
const refusedFor = (reason: RegExp) => ({ ok: false, failure: { reason: expect.stringMatching(reason) } });

function sentences(verdict: Verdict): string {
  return verdict.ok ? describeReport(verdict.report).join('\n') : verdict.failure.reason;
}

describeEngines(
  'heads and authorizations in audit files',
  (subject) => {
    let parentId: string;
    let real: string;
    /** The same leaves in a log of version 2 whose leaves are all in the file. */
    let text: string;

    beforeAll(async () => {
      const { service } = subject();
      parentId = service.first.organizationId;
      const { backend, own, email } = await createCustomer(service.root);
      await backend.result('emailAuth', { email, targetPublicKey: newTarget().hex });
      await own.result('emailAuth', { email, targetPublicKey: newTarget().hex });
      const { addresses } = await createWallet(own);
      for (let count = 0; count < 3; count++) await own.result('signRawPayload', signParams(addresses[0] as string));
      real = await exportAudit(own);
      text = forge(real, () => undefined, { version: 2 });
    });

    const verdictOf = (changed: string, options = {}) => verifyText(changed, forgedLogKey, options);
    /** The same leaves as an earlier release wrote them. */
    const earlierFile = () => forge(real, () => undefined, { version: 1 });
    /** The file after an edit of the sub-organization's own request for a mail. */
    const withOwn = (file: string, edit: (leaf: Json) => void) =>
      withLeaf(file, (leaf) => isType('EMAIL_AUTH')(leaf) && leaf.content.vote !== undefined, edit);
    const passOff = ({ content }: Json) => {
      delete content.vote;
      delete content.decision;
    };

    test('control: the file verifies, and the report says what is proven', async () => {
      const verdict = await verdictOf(text);
      expect(verdict).toMatchObject({
        ok: true,
        report: { leaves: 6, judgedByParent: 1, claimedByParent: 0, authorizations: 5, newest: { size: 7, witnesses: [] } },
      });
      expect(sentences(verdict)).toContain('Leaves 1 to 6, none missing between them');
      expect(sentences(verdict)).toContain(
        'Newest: the checkpoint over 7 leaves names leaf 6 as the newest of this organization',
      );
      expect(sentences(verdict)).not.toMatch(/complete/i);
      const fromService = await verifyText(real, await logKey(subject().service.url));
      expect(fromService).toMatchObject({
        ok: true,
        report: { leaves: 6, judgedByParent: 1, claimedByParent: 0, authorizations: 5, newest: { witnesses: [] } },
      });
    });

    test('D261: an own activity does not pass for one that the parent authorized', async () => {
      const reordered = (leaf: Json) => {
        const { result, changed } = leaf.content;
        leaf.content = { judgedBy: parentId, body: leaf.content.vote.body, result, changed };
      };
      expect(await verdictOf(withOwn(text, reordered))).toMatchObject(refusedFor(/its leaf says who authorized it/));
      expect(await verdictOf(withOwn(text, passOff))).toMatchObject(refusedFor(/it has no stamp/));
      const lied = withOwn(text, (leaf) => {
        reordered(leaf);
        delete leaf.content.judgedBy;
        const { credentialKind, authorizationDigest, headVersion, headDigest, ...rest } = leaf.opening;
        leaf.opening = { ...rest, judgedBy: parentId, credentialKind, authorizationDigest, headVersion, headDigest };
      });
      expect(await verdictOf(lied)).toMatchObject({ ok: false });
    });

    test('leaves of the earlier format do not say who authorized them, and the report says so', async () => {
      const earlier = earlierFile();
      expect(earlier).toContain('countersign-audit-1');
      const verdict = await verdictOf(earlier);
      expect(verdict).toMatchObject({ ok: true, report: { judgedByParent: 1, claimedByParent: 1, authorizations: 0 } });
      expect(sentences(verdict)).toContain('Not proven: whether leaves follow leaf 6.');
      const edited = withOwn(earlier, (leaf) => {
        const { vote, result, changed } = leaf.content;
        leaf.content = { judgedBy: parentId, body: vote.body, result, changed };
      });
      const claimed = await verdictOf(edited);
      expect(claimed).toMatchObject({ ok: true, report: { claimedByParent: 2 } });
      expect(sentences(claimed)).toContain(
        '2 activities of the earlier format claim to be authorized by the parent; the log does not say by whom.',
      );
    });

    test('a file of the earlier format has neither leaves of version 2 nor a proof of the newest one', async () => {
      const renamed = (file: string) => mended(file.replace('countersign-audit-2', 'countersign-audit-1'));
      expect(await verdictOf(renamed(text))).toMatchObject(refusedFor(/earlier format has no such leaf/));
      const earlier = earlierFile();
      const head = linesOf(text).at(-1).end.head;
      expect(await verdictOf(withEnd(earlier, (end) => (end.head = head)))).toMatchObject(
        refusedFor(/earlier format has no proof/),
      );
    });

    test('D261, D262: the same edits of a file that the service wrote are rejected', async () => {
      const key = await logKey(subject().service.url);
      const passedOff = withOwn(real, (leaf) => {
        const { vote, result, changed } = leaf.content;
        leaf.content = { judgedBy: parentId, body: vote.body, result, changed };
      });
      expect(await verifyText(passedOff, key)).toMatchObject(refusedFor(/its leaf says who authorized it/));
      const other = withOwn(real, ({ content }) => {
        content.vote.signature = mirrored(content.vote.signature);
      });
      expect(await verifyText(other, key)).toMatchObject(refusedFor(/does not match the authorization/));
      expect(
        await verifyText(
          withEnd(real, (end) => delete end.head),
          key,
        ),
      ).toMatchObject(refusedFor(/proof of the newest leaf/));
    });

    test('D261: nor does one of the parent pass for an own one, or for one of a third organization', async () => {
      const isJudged = (leaf: Json) => leaf.opening.judgedBy !== undefined;
      const third = forge(text, (leaves) => {
        leaves.find(isJudged).opening.judgedBy = 'another';
      });
      expect(await verdictOf(third)).toMatchObject(refusedFor(/not the parent/));
      const own = linesOf(text).find((leaf) => leaf.content?.vote !== undefined).content;
      const given = withLeaf(text, isJudged, (leaf) => {
        leaf.content = { vote: own.vote, decision: own.decision, result: leaf.content.result, changed: leaf.content.changed };
      });
      expect(await verdictOf(given)).toMatchObject(refusedFor(/votes must not be in the file/));
    });

    test('D261: a vote with other bytes is refused, even if its signature verifies', async () => {
      const signature = withOwn(text, ({ content }) => {
        content.vote.signature = mirrored(content.vote.signature);
      });
      expect(await verdictOf(signature)).toMatchObject(refusedFor(/does not match the authorization/));
      const kind = forge(text, (leaves) => {
        leaves.find((leaf) => leaf.content?.vote !== undefined).opening.type += '';
      }).replace('"credentialKind":"API_KEY","authorizationDigest"', '"credentialKind":"PASSKEY","authorizationDigest"');
      expect(await verdictOf(kind)).toMatchObject({ ok: false });
    });

    test('D262: newest leaves that are replaced by hashes are missed', async () => {
      for (const count of [1, 2, 5]) {
        expect(await verdictOf(cutOff(text, count))).toMatchObject(refusedFor(/leaves are missing at the end/));
        const bare = withEnd(cutOff(text, count), (end) => delete end.head);
        expect(await verdictOf(bare)).toMatchObject(refusedFor(/proof of the newest leaf is missing/));
        // A file of the earlier format has no proof, and shows no more than it says.
        const verdict = await verdictOf(cutOff(earlierFile(), count));
        expect(verdict).toMatchObject({ ok: true, report: { newest: null } });
        expect(sentences(verdict)).toContain(`Not proven: whether leaves follow leaf ${6 - count}.`);
      }
    });

    test('files of a busy organization prove their newest leaf, also from another node', async () => {
      const { service, installation } = subject();
      const { own } = await createCustomer(service.root);
      const { addresses } = await createWallet(own);
      const isShared = installation.config.databaseUrl?.startsWith('postgres') === true;
      const second = isShared ? await startService(installation, { config: mailSettings(inbox) }) : undefined;
      const callers = [own, second === undefined ? own : own.with({ url: second.url })] as const;
      let isSigning = true;
      const signing = callers.map(async (caller) => {
        for (; isSigning; await sleep(10)) await caller.result('signRawPayload', signParams(addresses[0] as string));
      });
      try {
        const key = await logKey(service.url);
        let leaves = 0;
        for (let count = 0; count < 4; count++) {
          const verdict = await verifyText(await exportAudit(callers[count % 2] as typeof own, {}, '1000'), key);
          expect(verdict, JSON.stringify(verdict)).toMatchObject({ ok: true, report: { newest: { size: expect.any(Number) } } });
          if (verdict.ok) expect(verdict.report.leaves).toBeGreaterThan(leaves);
          if (verdict.ok) leaves = verdict.report.leaves;
        }
      } finally {
        isSigning = false;
        await Promise.all(signing);
        await second?.close();
      }
    });

    test('D262: a leaf that the reader expects must be in the file', async () => {
      const [, , , , , , last] = linesOf(text).slice(1, -1);
      const verdict = await verdictOf(text);
      const leafHash = verdict.ok ? verdict.report.leafHash : '';
      const expectedHead = { sequence: last.opening.sequence, leafHash };
      const found = await verdictOf(text, { expectedHead });
      expect(sentences(found)).toContain('Reaches the head that you expected.');
      const known = await verdictOf(earlierFile());
      const knownHead = { sequence: 6, leafHash: known.ok ? known.report.leafHash : '' };
      const cut = await verdictOf(cutOff(earlierFile(), 2), { expectedHead: knownHead });
      expect(cut).toMatchObject(refusedFor(/is not in the file/));
      const other = { ...expectedHead, leafHash: '00'.repeat(32) };
      expect(await verdictOf(text, { expectedHead: other })).toMatchObject(refusedFor(/is not the one that you expect/));
      const before = { sequence: 5, leafHash: last.opening.previousLeaf };
      expect(sentences(await verdictOf(text, { expectedHead: before }))).toContain('Contains leaf 5, which you expected');
    });

    test('D262: a proof of another organization, another map or another log is refused', async () => {
      const cases: readonly [(end: Json) => void, RegExp][] = [
        [(end) => end.head.nodes.pop(), /lacks nodes/],
        [(end) => end.head.nodes.push('00'), /after its end/],
        [(end) => (end.head.nodes = ['00']), /not the one that the node above it names/],
        [(end) => (end.head.checkpoint = linesOf(earlierFile()).at(-1).end.checkpoint), /does not commit to heads/],
        [(end) => (end.head = { ...end.head, headVersion: 1, headDigest: '00'.repeat(32) }), /given twice/],
        [(end) => (end.head.checkpoint = linesOf(real).at(-1).end.checkpoint), /./],
      ];
      for (const [edit, reason] of cases) expect(await verdictOf(withEnd(text, edit))).toMatchObject(refusedFor(reason));
    });

    test('a head that falls, jumps or changes without a new version is refused', async () => {
      const forged = (edit: (openings: Json[]) => void) => {
        const leaves = linesOf(text).slice(1, -1);
        edit(leaves.map(({ opening }) => opening));
        return leaves;
      };
      const { HeadHistory } = await import('../../../packages/verify/src/heads.ts');
      const follow = (edit: (openings: Json[]) => void) => () => {
        const heads = new HeadHistory();
        for (const { opening } of forged(edit).slice(1)) heads.follow(opening);
      };
      expect(follow(() => undefined)).not.toThrow();
      expect(follow((openings) => (openings[4].headVersion += 1))).toThrow(/from version/);
      expect(follow((openings) => (openings[5].headVersion -= 1))).toThrow(/from version|same version/);
      expect(follow((openings) => (openings[6].headDigest = '00'.repeat(32)))).toThrow(/same version/);
      expect(follow((openings) => delete openings[6].version)).toThrow(/earlier format/);
    });
  },
  { config: mailSettings(inbox) },
);
