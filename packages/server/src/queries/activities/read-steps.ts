import type { LogExcerpt } from '../../log/proofs.ts';
import type { QueryContext } from '../../pipeline/query.ts';

/** Which leaves of the organization to read, as requests name them. */
interface StepRange {
  readonly from: string;
  readonly limit: string;
  readonly waitSeconds: string;
}

/** Reads leaves of the organization in order. If there is none in the range, waits for the first one. */
export async function readSteps(context: QueryContext, { from, limit, waitSeconds }: StepRange): Promise<LogExcerpt> {
  const { logProofs, organization, longPoll, caller } = context;
  const read = () => logProofs.excerptOf(organization.id, Number(from), Number(limit));
  if (Number(waitSeconds) === 0) return read();
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
      if (isOver) return found;
    }
  } finally {
    wait.end();
  }
}
