import { must } from '../audit-error.ts';
import type { Tally } from '../tally.ts';
import { digestOfText } from '../text.ts';
import type { SigningCase } from './signing.ts';

/**
 * The transactions that were sent, to compare those that replace them.
 * SECURITY: D902: limits count a transaction, and nothing for one that speeds it up. So both must be the same but for their fees.
 */
export class SentHistory {
  readonly #digests = new Map<string, string>();

  /** Checks and remembers the transaction of an executed activity. `mayBeHidden`: the file does not show every activity. */
  follow({ sends }: Pick<SigningCase, 'sends'>, result: unknown, mayBeHidden: boolean, tally: Tally): void {
    if (sends?.transaction === undefined) return;
    const digest = digestOfText(sends.transaction);
    if (sends.repeats !== undefined) {
      const earlier = this.#digests.get(sends.repeats);
      must(earlier !== undefined || mayBeHidden, 'it speeds up a transaction that the file does not show');
      must(earlier === undefined || earlier === digest, 'it differs in more than its fee from the transaction that it speeds up');
      if (earlier === undefined) tally.sumsTaken += 1;
    }
    const { sendTransactionStatusId: id } = (result ?? {}) as { readonly sendTransactionStatusId?: unknown };
    must(typeof id === 'string', 'it sent a transaction, and its result has no id of it');
    this.#digests.set(id as string, digest);
  }
}
