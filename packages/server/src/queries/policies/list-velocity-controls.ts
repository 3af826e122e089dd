import { queries } from '@countersign/contract';
import { showControl } from '../../organizations/show-control.ts';
import { resolve } from '../../pipeline/query.ts';
import { toPage } from '../page.ts';

export const listVelocityControls = resolve(
  queries.listVelocityControls,
  async ({ organization, nowMs }, { paginationOptions }) => {
    const { limit, before, after } = toPage(paginationOptions);
    // Ids sort by the time they were made.
    const all = [...organization.records.velocityControl].sort(([a], [b]) => (a < b ? -1 : 1));
    const within = all.filter(([id]) => (before === undefined || id < before) && (after === undefined || id > after));
    // Before alone asks for the page that ends there.
    const page = before !== undefined && after === undefined ? within.slice(-limit) : within.slice(0, limit);
    const [first, last] = [page[0]?.[0], page.at(-1)?.[0]];
    return {
      velocityControls: page.map(([id, control]) => showControl(organization.id, id, control, nowMs)),
      pageInfo: {
        hasNextPage: last !== undefined && all.some(([id]) => id > last),
        hasPreviousPage: first !== undefined && all.some(([id]) => id < first),
        ...(first !== undefined && { startCursor: first }),
        ...(last !== undefined && { endCursor: last }),
      },
    };
  },
);
