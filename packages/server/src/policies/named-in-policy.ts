import type { Judgement } from './judgement.ts';

/** Something that a policy allows only if its condition speaks of it. */
export interface MustBeNamed {
  /** What the condition of such a policy has in it. */
  readonly word: RegExp;
  /** Why policies without it do not count, as a sentence that an explanation shows. */
  readonly why: string;
}

/**
 * What this request does that a policy must name to allow it.
 * SECURITY: a policy that was written for the ordinary case does not mean to allow these. An ALLOW whose condition does not speak of
 * them is not asked. The root quorum is not bound by this.
 */
export function mustBeNamed(judgement: Judgement): readonly MustBeNamed[] {
  return [delegation(judgement), trustedTags(judgement), trustedName(judgement), addressBook(judgement)].filter(
    (each) => each !== undefined,
  );
}

/** D36: a policy for `to` and `value` does not mean to hand an account's code to somebody else (EIP-7702). */
function delegation({ subject: { parsed } }: Judgement): MustBeNamed | undefined {
  if (parsed?.namespace !== 'eth.tx' || parsed.policy.type !== 'TYPE_4') return undefined;
  return {
    word: /\beth\.tx\.(type|authorization_list)\b/,
    why: 'the transaction hands the code of an account to somebody else (EIP-7702), and no policy that allows it speaks of `eth.tx.type` or `eth.tx.authorization_list`',
  };
}

/** A policy for the management of users does not mean to hand out the tags that other policies trust. */
function trustedTags(judgement: Judgement): MustBeNamed | undefined {
  const touched = (judgement.subject.touches ?? []).some(
    (touch) => touch.what === 'TAGS' && touch.tagIds.some(trustedBy(judgement)),
  );
  return touched
    ? {
        word: /user_tag/i,
        why: 'a user gains or loses a tag that a policy names, and no policy that allows it speaks of user tags',
      }
    : undefined;
}

/** Nor to give a user the name that another policy trusts. */
function trustedName(judgement: Judgement): MustBeNamed | undefined {
  const touched = (judgement.subject.touches ?? []).some(
    (touch) => touch.what === 'NAME' && trustedBy(judgement)(touch.userName),
  );
  return touched
    ? { word: /user_name/i, why: 'a user gets a name that a policy names, and no policy that allows it speaks of user names' }
    : undefined;
}

/** Nor does a policy for something else mean to say whom payments may go to, or which contract counts as which token. */
function addressBook({ definition: { policy } }: Judgement): MustBeNamed | undefined {
  const word = { CONTACT: /\bCONTACTS?\b/, TOKEN: /\bTOKENS?\b/ }[policy.resource];
  if (word === undefined) return undefined;
  return { word, why: `policies trust what it changes, and no policy that allows it names the resource ${policy.resource}` };
}

/** Whether a policy of the organization names a word. */
function trustedBy({ organization }: Judgement): (word: string) => boolean {
  const policies = [...organization.policies.values()];
  return (word) =>
    policies.some(({ condition = '', consensus = '' }) => condition.includes(`'${word}'`) || consensus.includes(`'${word}'`));
}
