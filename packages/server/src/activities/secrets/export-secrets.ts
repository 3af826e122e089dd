import { activities } from '@countersign/contract';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { readTargetKey } from '../sign-in/target-key.ts';
import { exportBundle } from '../transfer/export-bundle.ts';
import { findSecrets } from './find-secrets.ts';

export const exportSecrets = execute(activities.exportSecrets, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const targets = params.secrets.map(({ targetPublicKey }, index) =>
      readTargetKey(targetPublicKey, `secrets.${index}.targetPublicKey`),
    );
    const secrets = findSecrets(
      organization,
      params.secrets.map(({ secretId }) => secretId),
      (index) => (index === undefined ? 'secrets' : `secrets.${index}.secretId`),
    );
    return { intent: params, subject: { secrets }, prepared: { secrets, targets } };
  },

  async run(context, { prepared: { secrets, targets } }) {
    const { organization, vault, nowMs } = context;
    const secretPayloads: string[] = [];
    const changes: LocalChange[] = [];
    for (const [index, { id, body }] of secrets.entries()) {
      const message = await vault.transfers.exportBytes(organization.id, id, targets[index] as Uint8Array);
      secretPayloads.push(await exportBundle(context, message));
      changes.push({ op: 'putRecord', kind: 'secret', id, body: { ...body, exported: true, updatedAtMs: nowMs } });
    }
    return { result: { secretPayloads }, changes };
  },
});
