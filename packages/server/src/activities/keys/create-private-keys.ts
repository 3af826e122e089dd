import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { generatePrivateKeys, requirePrivateKeys, requireRoomForPrivateKeys } from './new-private-keys.ts';

export const createPrivateKeys = execute(activities.createPrivateKeys, {
  locksOrganization: true,

  async plan(context, params) {
    const { privateKeys } = params;
    requirePrivateKeys(privateKeys, context.organization);
    const names = privateKeys.map(({ privateKeyName }) => privateKeyName);
    await requireRoomForPrivateKeys(context, names, (index) => `privateKeys.${index}.privateKeyName`);
    return { intent: params, subject: {}, prepared: privateKeys };
  },

  async run(context, { prepared }) {
    const { changes, results } = await generatePrivateKeys(context, context.organization.id, prepared);
    return { result: { privateKeys: results }, changes };
  },
});
