import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { limitExceeded, nameTaken } from '../refuse.ts';
import { generatePrivateKeys, requirePrivateKeys } from './new-private-keys.ts';

export const createPrivateKeys = execute(activities.createPrivateKeys, {
  exclusive: true,

  async plan({ organization, resources, limits }, params) {
    const { privateKeys } = params;
    requirePrivateKeys(privateKeys, organization);
    const held = await resources.count(organization.id, 'privateKey');
    if (held + privateKeys.length > limits.maxPrivateKeys)
      throw limitExceeded('private keys', limits.maxPrivateKeys, 'maxPrivateKeys');
    for (const [index, { privateKeyName }] of privateKeys.entries()) {
      const [taken] = await resources.find(organization.id, 'privateKeyName', privateKeyName);
      if (taken !== undefined) throw nameTaken('private key', `privateKeys.${index}.privateKeyName`);
    }
    return { intent: params, subject: {}, prepared: privateKeys };
  },

  async run(context, { prepared }) {
    const { changes, results } = await generatePrivateKeys(context, context.organization.id, prepared);
    return { result: { privateKeys: results }, changes };
  },
});
