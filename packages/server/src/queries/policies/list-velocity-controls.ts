import { queries } from '@countersign/contract';
import { showControl } from '../../organizations/show-control.ts';
import { resolve } from '../../pipeline/query.ts';
import { pageOf } from '../page.ts';
import { toList } from '../write-items.ts';

export const listVelocityControls = resolve(
  queries.listVelocityControls,
  async ({ organization, nowMs, endSlice }, { paginationOptions = {} }) => {
    const { velocityControl } = organization.records;
    const show = (id: string, control: Parameters<typeof showControl>[2]) => showControl(organization.id, id, control, nowMs);
    const { items, texts } = await pageOf(endSlice, velocityControl, paginationOptions, show);
    const [first, last] = [items[0], items.at(-1)].map((control) => control?.velocityControlId);
    const ids = [...velocityControl.keys()];
    return {
      velocityControls: await toList<ReturnType<typeof show>>(endSlice, texts),
      // The newest come first.
      pageInfo: {
        hasNextPage: last !== undefined && ids.some((id) => id < last),
        hasPreviousPage: first !== undefined && ids.some((id) => id > first),
        ...(first !== undefined && { startCursor: first }),
        ...(last !== undefined && { endCursor: last }),
      },
    };
  },
);
