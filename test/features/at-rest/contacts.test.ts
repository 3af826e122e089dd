import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ActivityDefinition, activities, hasContact } from '@countersign/contract';
import { expect, test } from 'vitest';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createMember, createPrivateKey, signParams, subOrganizationParams } from '../../support/world.ts';
import { backupFile } from '../backup/support.ts';
import { contactRequests, Needles, schemasOf } from './needles.ts';

const config = { webhookNetworks: ['127.0.0.0/8'], pushNetworks: ['3ffe::/16'] };

/** Every file below a directory. */
function bytesIn(directory: string): Buffer {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
}

describeEngines(
  'contacts at rest',
  (subject) => {
    test('D333: no contact or webhook token of any activity is in the bytes of the database, of files or of a backup', async () => {
      const { service, raw, installation } = subject();
      const { root } = service;
      const needles = new Needles();
      const { userId } = await root.data('whoami');
      const requests = contactRequests(root, userId, needles);
      const taking = Object.values<ActivityDefinition>(activities).filter((each) => schemasOf(each).some(hasContact));
      const missing = taking.map(({ name }) => name).filter((name) => !(name in requests));
      expect(missing).toEqual([]);
      for (const request of Object.values(requests)) await request();
      expect(needles.texts.length).toBeGreaterThan(30);
      expect(needles.foundIn(await raw.dump())).toEqual([]);
      expect(needles.foundIn(bytesIn(installation.config.dataDir))).toEqual([]);
      const file = backupFile(installation);
      await backup(installation.config, { file });
      const copied = gunzipSync(readFileSync(file));
      expect(copied.includes('webhookEndpoint')).toBe(true);
      expect(needles.foundIn(copied)).toEqual([]);
    });

    test('D333: a contact that a policy reads for a signature is not in the bytes of its activity', async () => {
      const { service, raw } = subject();
      const { root } = service;
      const needles = new Needles();
      const { caller, userId } = await createMember(root);
      const userEmail = needles.email();
      await root.result('updateUserEmail', { userId, userEmail });
      const key = await createPrivateKey(root);
      await root.result('createPolicy', {
        policyName: 'Named by address',
        effect: 'EFFECT_ALLOW',
        condition: "activity.action == 'SIGN'",
        consensus: `approvers.any(user, user.email == '${userEmail}')`,
        notes: '',
      });
      expect((await caller.submit('signRawPayload', signParams(key))).status).toBe(200);
      expect(needles.foundIn(await raw.dump())).toEqual([]);
    });

    test('contacts are found and shown as before, also by another process', async () => {
      const { service, installation } = subject();
      const userEmail = `Somebody-${Date.now()}@people.example`;
      const params = subOrganizationParams(newApiKey());
      const rootUsers = params.rootUsers.map((user) => ({ ...user, userEmail, userPhoneNumber: '+4915112345678' }));
      const { subOrganizationId } = await service.root.result('createSubOrganization', { ...params, rootUsers });
      const other = await startService(installation, { config });
      try {
        for (const { root } of [service, other]) {
          const found = await root.data('listSuborgs', { filterType: 'EMAIL', filterValue: userEmail });
          expect(found.organizationIds).toEqual([subOrganizationId]);
          const { users } = await root.with({ organizationId: subOrganizationId }).data('listUsers', {});
          expect(users[0]).toMatchObject({ userEmail, userPhoneNumber: '+4915112345678' });
        }
      } finally {
        await other.close();
      }
    });
  },
  { config },
);
