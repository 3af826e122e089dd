import { activities } from '@countersign/contract';
import { describeReport } from '@countersign/verify';
import { expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
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

    test('D780: a token that nobody registered, and an RPC key that is recorded as another key, are refused', async () => {
      const text = await exported();
      const forged = (edit: (key: Json) => void) => {
        const registered = (leaves: Json[]) => {
          const own = leaves.filter(({ opening }) => opening.type === activities.createRpcKeys.type);
          const keys = own.flatMap(({ content }) => content?.changed?.changes ?? []).filter(({ body }) => body?.presents);
          expect(keys).not.toEqual([]);
          for (const { body } of keys) edit(body);
        };
        return verifyText(forge(text, registered, { version: 2 }), forgedLogKey);
      };
      // The forger holds the key of the log, so that everything fits but the record.
      expect(await forged(() => undefined)).toMatchObject({ ok: true });
      const edits: ((key: Json) => void)[] = [
        (key) => {
          key.presents = '00'.repeat(32);
        },
        (key) => {
          key.type = 'CREDENTIAL_TYPE_API_KEY_P256';
        },
        (key) => {
          delete key.presents;
        },
      ];
      for (const edit of edits) expect(await forged(edit)).toMatchObject({ ok: false });
    });
  },
  { config: { rpcApprovalSeconds: 0 } },
  ['sqlite'],
);
