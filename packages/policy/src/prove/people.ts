import type { DecisionRequest, PolicyCredential, PolicyUser } from '../request.ts';
import { credential, user } from '../schema/people.ts';
import type { SymbolicList } from './symbolic.ts';
import { isTrueIn, type Model, type Symbols } from './symbols.ts';
import { add, not, or, type Term, when } from './term.ts';
import type { ValueMaker } from './values.ts';

interface Choice {
  readonly user: PolicyUser;
  readonly approved: Term;
  /** The credentials of the user, and whether an approval used each. */
  readonly credentials: readonly { readonly credential: PolicyCredential; readonly used: Term }[];
}

/**
 * Any subset of the users as approvers, each with at least one of their credentials.
 * SECURITY: D423: the subset can be empty. A policy without a consensus also allows a request whose approvals no longer count.
 */
export class People {
  readonly approvers: SymbolicList;
  readonly credentials: SymbolicList;
  /** Whether anyone approved. */
  readonly someApproved: Term;
  /** Whether the approvers meet the root quorum. */
  readonly rootQuorumMet: Term;
  /** Whether a member of the root quorum approved. */
  readonly rootMemberApproved: Term;
  private readonly choices: readonly Choice[];

  constructor(users: readonly PolicyUser[], rootQuorum: DecisionRequest['rootQuorum'], symbols: Symbols, maker: ValueMaker) {
    this.choices = users.map((each) => choiceOf(each, symbols));
    this.someApproved = or(...this.choices.map(({ approved }) => approved));
    this.approvers = {
      kind: 'list',
      // Users approve in any order, so positions in this list do not match positions in a request.
      dense: false,
      places: this.choices.map((each) => ({ present: each.approved, value: maker.concrete(user.toRecord(each.user)) })),
    };
    this.credentials = {
      kind: 'list',
      dense: false,
      places: this.choices.flatMap(({ credentials }) =>
        credentials.map((each) => ({ present: each.used, value: maker.concrete(credential.toRecord(each.credential)) })),
      ),
    };
    const members = this.choices.filter(({ user: { id } }) => rootQuorum.userIds.includes(id));
    const votes = add(members.map(({ approved }) => when(approved, '1')));
    const { threshold } = rootQuorum;
    this.rootMemberApproved = or(...members.map(({ approved }) => approved));
    this.rootQuorumMet = Number.isInteger(threshold) && threshold >= 1 ? `(>= ${votes} ${threshold})` : 'false';
  }

  /** The approvers in a model, and the credentials that they used. */
  decode(model: Model): Pick<DecisionRequest, 'approvers' | 'credentials'> {
    const chosen = this.choices.filter(({ approved }) => isTrueIn(approved, model));
    return {
      approvers: chosen.map((each) => each.user),
      credentials: chosen.flatMap(({ credentials }) =>
        credentials.filter(({ used }) => isTrueIn(used, model)).map((each) => each.credential),
      ),
    };
  }
}

function choiceOf(user: PolicyUser, symbols: Symbols): Choice {
  const approved = symbols.bool();
  const credentials = (user.credentials ?? []).map((each) => ({ credential: each, used: symbols.bool() }));
  for (const { used } of credentials) symbols.assert(or(not(used), approved));
  if (credentials.length > 0) symbols.assert(or(not(approved), ...credentials.map(({ used }) => used)));
  return { user, approved, credentials };
}
