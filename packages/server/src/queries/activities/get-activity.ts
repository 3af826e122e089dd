import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getActivity = resolve(queries.getActivity, async (context, { activityId }) => {
  const { activities, organization, showActivity } = context;
  const record = await activities.get(organization.id, activityId);
  if (record === undefined) {
    await activities.refuseArchived(organization.id, { id: activityId });
    throw notFound('activity', 'activityId');
  }
  return { activity: showActivity(record) };
});
