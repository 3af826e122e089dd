import { queries } from '@countersign/contract';
import { showFreeze } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';

export const listFreezes = resolve(queries.listFreezes, async ({ organization }) => ({
  freezes: [...organization.records.freeze].map(([id, freeze]) => showFreeze(id, freeze)),
}));
