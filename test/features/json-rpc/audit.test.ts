import { activities } from '@countersign/contract';
import { describeReport } from '@countersign/verify';
import { expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { withLeaf } from '../log/edit-file.ts';
import { forge, forgedLogKey } from '../log/forge.ts';
import { createSigner, rpc, transfer } from './support.ts';

describeEngines(
  'audit files with requests of the JSON-RPC endpoint',
  (subject) => {
    async function exported() {
      const { caller } = await createSubOrganization(subject().service.root);
      const signer = await createSigner(caller);
      const [from = ''] = signer.addresses;
      const url = caller.url;
      expect(await rpc(url, signer, 'eth_signTransaction', transfer(from))).toHaveProperty('result');
      expect(await rpc(url, signer, 'personal_sign', '0x01', from)).toHaveProperty('result');
      await caller.result('deleteApiKeys', { userId: signer.userId, apiKeyIds: [signer.apiKeyId] });
      return exportAudit(caller);
    }

    test('the file verifies, its leaves name the credential, and the report says what these stamps do not prove', async () => {
      const text = await exported();
      const verdict = await verifyText(text, await logKey(subject().service.url));
      expect(verdict).toMatchObject({ ok: true, report: { stampsByService: 2, signatures: 2 } });
      const sentences = verdict.ok ? describeReport(verdict.report).join('\n') : '';
      expect(sentences).toContain('2 stamps made by the service for a caller with an RPC token or client certificate');
      expect(sentences).toContain('that their clients sent them is not proven');
      expect(text.match(/"credentialKind":"RPC_TOKEN"/g)).toHaveLength(2);
    });

    test('D780: a stamp of an RPC key on another activity, and a token that nobody registered, are refused', async () => {
      const text = await exported();
      expect(
        await verifyText(
          forge(text, () => undefined, { version: 2 }),
          forgedLogKey,
        ),
      ).toMatchObject({ ok: true });
      const isRpcKeys = (leaf: Json) => leaf.opening.type === activities.createRpcKeys.type;
      for (const edit of [
        (key: Json) => {
          key.presents = '00'.repeat(32);
        },
        (key: Json) => {
          key.type = 'CREDENTIAL_TYPE_API_KEY_P256';
        },
        (key: Json) => {
          delete key.presents;
        },
      ]) {
        const changed = withLeaf(text, isRpcKeys, (leaf: Json) => {
          for (const { body } of leaf.content.changed.changes) if (body?.presents !== undefined) edit(body);
        });
        expect(changed).not.toBe(text);
        expect(await verifyText(changed, await logKey(subject().service.url))).toMatchObject({ ok: false });
      }
    });
  },
  { config: { rpcApprovalSeconds: 0 } },
  ['sqlite'],
);
