import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { readTargetKey } from '../sign-in/target-key.ts';
import { exportBundle } from './export-bundle.ts';

export const exportPrivateKey = execute(activities.exportPrivateKey, {
  locksOrganization: true,

  async plan({ organization, resources }, params) {
    const target = readTargetKey(params.targetPublicKey, 'targetPublicKey');
    const key = await resources.get(organization.id, 'privateKey', params.privateKeyId);
    if (key === undefined) throw notFound('private key', 'privateKeyId');
    return { intent: params, subject: { key }, prepared: { key, target } };
  },

  async run(context, { prepared: { key: previous, target } }) {
    const { organization, vault, nowMs } = context;
    const { id, body } = previous;
    const reference = { kind: 'privateKey' as const, id, curve: body.curve };
    const message = await vault.transfers.exportPrivateKey(
      organization.id,
      reference,
      Buffer.from(body.publicKey, 'hex'),
      target,
    );
    return {
      result: { privateKeyId: id, exportBundle: await exportBundle(context, message) },
      changes: [{ op: 'putResource', kind: 'privateKey', id, body: { ...body, exported: true, updatedAtMs: nowMs }, previous }],
    };
  },
});
