import type { DecisionRequest, PolicyUser } from '../request.ts';
import { credential, user } from '../schema/people.ts';
import type { SymbolicList } from './symbolic.ts';
import { isTrueIn, type Model, type Symbols } from './symbols.ts';
import { add, or, type Term, when } from './term.ts';
import type { ValueMaker } from './values.ts';

/** Any subset of the users as approvers. */
export class People {
  readonly approvers: SymbolicList;
  readonly credentials: SymbolicList;
  /** Whether the approvers meet the root quorum. */
  readonly rootQuorumMet: Term;
  private readonly choices: readonly { readonly user: PolicyUser; readonly approved: Term }[];

  constructor(users: readonly PolicyUser[], rootQuorum: DecisionRequest['rootQuorum'], symbols: Symbols, maker: ValueMaker) {
    this.choices = users.map((each) => ({ user: each, approved: symbols.bool() }));
    symbols.assert(or(...this.choices.map(({ approved }) => approved)));
    this.approvers = {
      kind: 'list',
      // Users approve in any order, so positions in this list do not match positions in a request.
      dense: false,
      places: this.choices.map((each) => ({ present: each.approved, value: maker.concrete(user.toRecord(each.user)) })),
    };
    this.credentials = {
      kind: 'list',
      dense: false,
      places: this.choices.flatMap(({ user: { credentials = [] }, approved }) =>
        credentials.map((each) => ({ present: approved, value: maker.concrete(credential.toRecord(each)) })),
      ),
    };
    const members = this.choices.filter(({ user: { id } }) => rootQuorum.userIds.includes(id));
    const votes = add(members.map(({ approved }) => when(approved, '1')));
    const { threshold } = rootQuorum;
    this.rootQuorumMet = Number.isInteger(threshold) && threshold >= 1 ? `(>= ${votes} ${threshold})` : 'false';
  }

  /** The users who approve in a model. */
  decode(model: Model): readonly PolicyUser[] {
    return this.choices.filter(({ approved }) => isTrueIn(approved, model)).map((each) => each.user);
  }
}
