import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showLeaf } from './show-leaf.ts';

export const listLogEntries = resolve(
  queries.listLogEntries,
  async ({ logProofs, organization }, { from = '1', limit = '100' }) => {
    const { checkpoint, leaves, head } = await logProofs.excerptOf(organization.id, Number(from), Number(limit));
    return { checkpoint, entries: leaves.map(showLeaf), head: { ...head, sequence: `${head.sequence}` } };
  },
);
