import type { DecisionRequest, PolicyUser } from '../request.ts';
import { credential, user } from '../schema/people.ts';
import type { SymbolicList } from './symbolic.ts';
import { isTrueIn, type Model, type Symbols } from './symbols.ts';
import { add, or, type Term, when } from './term.ts';
import type { ValueMaker } from './values.ts';

/** Any choice of the users who approve, of the users that there are. */
export class People {
  readonly approvers: SymbolicList;
  readonly credentials: SymbolicList;
  /** Whether the approvers are the root quorum. */
  readonly rootQuorumMet: Term;
  private readonly choices: readonly { readonly user: PolicyUser; readonly approved: Term }[];

  constructor(users: readonly PolicyUser[], rootQuorum: DecisionRequest['rootQuorum'], symbols: Symbols, maker: ValueMaker) {
    this.choices = users.map((each) => ({ user: each, approved: symbols.bool() }));
    symbols.assert(or(...this.choices.map(({ approved }) => approved)));
    this.approvers = {
      kind: 'list',
      // Users approve in any order, so a position in this list says nothing about a position in a request.
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

  /** The users whom a model lets approve. */
  decode(model: Model): readonly PolicyUser[] {
    return this.choices.filter(({ approved }) => isTrueIn(approved, model)).map((each) => each.user);
  }
}
