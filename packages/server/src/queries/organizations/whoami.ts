import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';

export const whoami = resolve(queries.whoami, async ({ snapshots, caller }) => {
  const organization = await snapshots.get(caller.organizationId);
  return {
    organizationId: caller.organizationId,
    organizationName: organization?.profile.name ?? '',
    userId: caller.userId,
    username: caller.user.userName,
  };
});
