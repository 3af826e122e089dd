import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

export const deleteTokens = execute(activities.deleteTokens, {
  locksOrganization: true,

  contextChange: (_context, { tokenIds }) => ({ tokens: new Map(tokenIds.map((id) => [id, undefined])) }),

  async plan({ organization }, params) {
    const { tokenIds } = params;
    requireDistinct(tokenIds, 'token', 'tokenIds');
    for (const [index, id] of tokenIds.entries()) {
      if (!organization.records.token.has(id)) throw notFound('token', `tokenIds.${index}`);
    }
    return { intent: params, subject: {}, prepared: tokenIds };
  },

  async run(_context, { prepared: tokenIds }) {
    return { result: { tokenIds: [...tokenIds] }, changes: tokenIds.map((id) => ({ op: 'deleteRecord', kind: 'token', id })) };
  },
});
