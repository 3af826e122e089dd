import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

export const disablePrivateKey = execute(activities.disablePrivateKey, {
  locksOrganization: true,
  endsKeys: true,

  async plan({ organization, resources }, params) {
    const key = await resources.get(organization.id, 'privateKey', params.privateKeyId);
    if (key === undefined) throw notFound('private key', 'privateKeyId');
    return { intent: params, subject: { key }, prepared: key };
  },

  async run({ nowMs }, { prepared: previous }) {
    const { id, body } = previous;
    const result = { privateKeyId: id };
    // Disabling a key is idempotent, so that several users can do it in an emergency.
    if (body.disabled === true) return { result, changes: [] };
    return {
      result,
      changes: [{ op: 'putResource', kind: 'privateKey', id, body: { ...body, disabled: true, updatedAtMs: nowMs }, previous }],
      forget: [id],
    };
  },
});
