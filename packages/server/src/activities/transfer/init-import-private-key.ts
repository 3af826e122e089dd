import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { makeTarget, requireOwnImport, surplusTargets } from './import-targets.ts';

export const initImportPrivateKey = execute(activities.initImportPrivateKey, {
  locksOrganization: true,

  async plan(context, params) {
    requireOwnImport(context, params.userId);
    return { intent: params, subject: {}, prepared: surplusTargets(context, 'IMPORT_PRIVATE_KEY') };
  },

  async run(context, { prepared: surplus }) {
    const { importBundle, changes } = await makeTarget(context, 'IMPORT_PRIVATE_KEY', surplus);
    return { result: { importBundle }, changes };
  },
});
