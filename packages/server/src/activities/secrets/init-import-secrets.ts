import { activities } from '@countersign/contract';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { makeTarget, surplusTargets } from '../transfer/import-targets.ts';

export const initImportSecrets = execute(activities.initImportSecrets, {
  locksOrganization: true,

  async plan(context, params) {
    return { intent: params, subject: {}, prepared: surplusTargets(context, 'IMPORT_SECRET', params.numSecrets) };
  },

  async run(context, { intent: { numSecrets }, prepared: surplus }) {
    const enclaveTargetMessages: string[] = [];
    const all: LocalChange[] = [];
    for (let made = 0; made < numSecrets; made++) {
      const { importBundle, changes } = await makeTarget(context, 'IMPORT_SECRET', made === 0 ? surplus : []);
      enclaveTargetMessages.push(importBundle);
      all.push(...changes);
    }
    return { result: { enclaveTargetMessages }, changes: all };
  },
});
