import { authorizationOf, credentialsOfUser, type DecisionRecord } from '@countersign/judgement';
import type { OpeningV2 } from '@countersign/tlog';
import { AuditError, must } from '../audit-error.ts';
import type { CastVote } from '../format/lines.ts';
import type { Tally } from '../tally.ts';
import { digestOfText } from '../text.ts';
import { type Case, judgementFor } from './rejudge.ts';

const REJECTED = 'VOTE_SELECTION_REJECTED';

/**
 * Checks that a leaf commits to this vote, to the credential that cast it and to the MFA policies that it met.
 * SECURITY: D261: everything comes from the vote and from the replayed state, so no byte of the vote can change.
 */
export function requireAuthorization(
  opening: OpeningV2,
  vote: CastVote,
  decision: DecisionRecord | undefined,
  about: Case,
  tally: Tally,
): void {
  const organization = about.state.organization();
  const isDecided = decision !== undefined && vote.selection !== REJECTED;
  const needsParameters =
    isDecided && decision.outcome !== 'DENY' && credentialsOfUser(organization.records.mfaPolicy, vote.userId).size > 0;
  const isKnown = !needsParameters || about.params !== undefined;
  const decided = isDecided && isKnown ? { outcome: decision.outcome, judgement: judgementFor(decision, about) } : undefined;
  const authorization = authorizationOf({ organization, vote, decided });
  if (authorization === undefined)
    throw new AuditError(`credential ${vote.credentialId} was not registered when it stamped this`);
  must(authorization.credentialKind === opening.credentialKind, 'the log names another kind of credential');
  if (!isKnown) {
    tally.authorizationsNotChecked += 1;
    return;
  }
  must(digestOfText(authorization.text) === opening.authorizationDigest, 'the vote does not match the authorization in the log');
  tally.authorizations += 1;
}
