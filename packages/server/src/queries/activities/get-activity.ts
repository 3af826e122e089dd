import { queries } from '@countersign/contract';
import { resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireOwnActivity } from '../own.ts';

export const getActivity = resolveScoped(queries.getActivity, {
  async all({ activities, organization, showActivity }, { activityId }) {
    const record = await activities.get(organization.id, activityId);
    if (record === undefined) {
      await activities.refuseArchived(organization.id, { id: activityId });
      throw notFound('activity', 'activityId');
    }
    return { activity: showActivity(record) };
  },
  own: async (context, { activityId }) => ({
    activity: context.showActivity(await requireOwnActivity(context, queries.getActivity, activityId)),
  }),
});
