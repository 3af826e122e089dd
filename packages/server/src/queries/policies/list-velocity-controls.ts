import { queries } from '@countersign/contract';
import { showControl } from '../../organizations/show-control.ts';
import { resolve } from '../../pipeline/query.ts';
import { pageOf } from '../page.ts';

export const listVelocityControls = resolve(queries.listVelocityControls, async (context, { paginationOptions = {} }) => {
  const { organization, nowMs } = context;
  const { velocityControl } = organization.records;
  const show = (id: string, control: Parameters<typeof showControl>[2]) => showControl(organization, id, control, nowMs);
  const velocityControls = await pageOf(context, velocityControl, paginationOptions, show);
  const [first, last] = [velocityControls[0], velocityControls.at(-1)].map((control) => control?.velocityControlId);
  const ids = [...velocityControl.keys()];
  return {
    velocityControls,
    // The newest come first.
    pageInfo: {
      hasNextPage: last !== undefined && ids.some((id) => id < last),
      hasPreviousPage: first !== undefined && ids.some((id) => id > first),
      ...(first !== undefined && { startCursor: first }),
      ...(last !== undefined && { endCursor: last }),
    },
  };
});
