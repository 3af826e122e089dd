import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { requireHeld } from './held-credentials.ts';
import { requireUsableQuorum } from './usable-quorum.ts';

export const deleteAuthenticators = execute(activities.deleteAuthenticators, {
  exclusive: true,

  async plan({ organization, nowMs }, params) {
    const { userId, authenticatorIds } = params;
    requireHeld(organization, 'authenticator', userId, authenticatorIds, 'authenticatorIds');
    requireUsableQuorum(organization, new Set(authenticatorIds), nowMs);
    return { intent: params, subject: { touches: [{ what: 'PASSKEY', userId }] }, prepared: authenticatorIds };
  },

  async run(_context, { prepared: authenticatorIds }) {
    const changes = authenticatorIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'authenticator' as const, id }));
    return { result: { authenticatorIds }, changes };
  },
});
