import { createLimited, type Limited, limitEther, pointsOf, transferParams } from '../../../features/usage/support.ts';
import type { Caller } from '../../../support/caller.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';
import type { Attempt, Draft } from '../../fault/support/history.ts';
import { signatureIn, storedSpends } from '../../fault/support/limits-campaign.ts';
import { checkLimits, type Limit, type LimitViolations, type Spend } from '../../fault/support/limits-checker.ts';

const THOUSANDTH = 10n ** 15n;
/** A window that is full most of the time. */
const WINDOW = { threshold: '0.020', thousandths: 20n, seconds: 2 };

/** A member of an organization who spends as much as a limit allows, and tries more. */
export class Spending {
  readonly #limited: Limited;
  readonly #limit: Limit;
  /** By the parameters of a request. */
  readonly #amounts = new Map<object, bigint>();
  readonly #released = new Map<object, string>();

  private constructor(limited: Limited, limit: Limit) {
    this.#limited = limited;
    this.#limit = limit;
  }

  static async create(parent: Caller): Promise<Spending> {
    let controlId = '';
    const limited = await createLimited(parent, "activity.action == 'SIGN' && controls.window", async (root) => {
      controlId = await limitEther(root, { identifier: 'window', threshold: WINDOW.threshold, seconds: WINDOW.seconds });
    });
    const threshold = WINDOW.thousandths * THOUSANDTH;
    return new Spending(limited, { controlId, threshold, windowMs: WINDOW.seconds * 1000 });
  }

  draw(): Draft {
    const { member, address } = this.#limited;
    const thousandths = 1 + Math.floor(Math.random() * 5);
    const parameters = transferParams(address, thousandths);
    this.#amounts.set(parameters, BigInt(thousandths) * THOUSANDTH);
    const learn = (result: unknown) => void this.#released.set(parameters, signatureIn(result));
    return { name: 'signTransaction', caller: member.caller, parameters, effect: {}, learn };
  }

  /** Adds up what was released, without belief in the sums of the server. */
  async check(attempts: readonly Attempt[], raw: RawDatabase): Promise<LimitViolations> {
    const spends = attempts.flatMap(({ parameters, fingerprint, outcome }): Spend[] => {
      const amount = this.#amounts.get(parameters);
      if (amount === undefined) return [];
      const released = this.#released.get(parameters);
      return [
        { fingerprint, amount, ...(released !== undefined && { released }), ...(outcome === 'denied' && { denied: true }) },
      ];
    });
    const { id } = this.#limited;
    return checkLimits(spends, await storedSpends(raw, id), await pointsOf(raw, id), [this.#limit]);
  }
}
