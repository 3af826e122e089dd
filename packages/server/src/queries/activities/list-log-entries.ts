import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { readSteps } from './read-steps.ts';
import { showLeaf } from './show-leaf.ts';

export const listLogEntries = resolve(
  queries.listLogEntries,
  async (context, { from = '1', limit = '100', waitSeconds = '0' }) => {
    const { checkpoint, leaves, head } = await readSteps(context, { from, limit, waitSeconds });
    return { checkpoint, entries: leaves.map(showLeaf), head: { ...head, sequence: `${head.sequence}` } };
  },
);
