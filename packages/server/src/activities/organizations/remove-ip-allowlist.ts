import { activities } from '@countersign/contract';
import { listIdOf } from '../../auth/ip-allowlist.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireNoLockOut, requireTopLevel, touchedByList } from './ip-allowlists.ts';

export const removeIpAllowlist = execute(activities.removeIpAllowlist, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization } = context;
    requireTopLevel(organization);
    const id = listIdOf(organization, params.publicKey);
    if (!organization.records.ipAllowlist.has(id)) throw notFound('IP allowlist', 'publicKey');
    requireNoLockOut(context, id, undefined);
    return { intent: params, subject: { touches: touchedByList(organization, id) }, prepared: id };
  },

  async run(context, { prepared: id }) {
    requireNoLockOut(context, id, undefined);
    return { result: {}, changes: [{ op: 'deleteRecord', kind: 'ipAllowlist', id }] };
  },
});
