import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { makeTarget, requireOwnImport, surplusTargets } from './import-targets.ts';

export const initImportWallet = execute(activities.initImportWallet, {
  locksOrganization: true,

  async plan(context, params) {
    requireOwnImport(context, params.userId);
    return { intent: params, subject: {}, prepared: surplusTargets(context, 'IMPORT_WALLET') };
  },

  async run(context, { prepared: surplus }) {
    const { importBundle, changes } = await makeTarget(context, 'IMPORT_WALLET', surplus);
    return { result: { importBundle }, changes };
  },
});
