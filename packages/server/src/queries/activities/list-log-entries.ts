import { queries } from '@countersign/contract';
import type { LogExcerpt } from '../../log/proofs.ts';
import { resolve } from '../../pipeline/query.ts';
import { showLeaf } from './show-leaf.ts';

export const listLogEntries = resolve(
  queries.listLogEntries,
  async (context, { from = '1', limit = '100', waitSeconds = '0' }) => {
    const { logProofs, organization, longPoll, caller } = context;
    const read = () => logProofs.excerptOf(organization.id, Number(from), Number(limit));
    if (Number(waitSeconds) === 0) return show(await read());
    const wait = longPoll.begin({
      userId: caller.userId,
      homeId: caller.organizationId,
      organizationId: organization.id,
      from: Number(from),
      ms: Number(waitSeconds) * 1000,
      isGone: context.isGone,
    });
    try {
      for (;;) {
        const found = await read();
        const isOver = found.leaves.length > 0 || !(await wait.next());
        // SECURITY: D195: the credential may have become invalid during the wait, possibly by the log entry that was just read.
        await context.proveAgain();
        if (isOver) return show(found);
      }
    } finally {
      wait.end();
    }
  },
);

function show({ checkpoint, leaves, head }: LogExcerpt) {
  return { checkpoint, entries: leaves.map(showLeaf), head: { ...head, sequence: `${head.sequence}` } };
}
