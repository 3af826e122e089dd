import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amongAgreeing } from '../src/check/agreeing.ts';
import { withApproval } from '../src/decide/read-request.ts';
import type { NamespaceValues } from '../src/evaluate/evaluation.ts';
import { EvaluationError } from '../src/evaluate/evaluation-error.ts';
import { compileExpression, evaluateExpression } from '../src/expression.ts';
import { compilePolicies, decide, type LanguageVersion, lintPolicies, type PolicyUser } from '../src/index.ts';
import { arbitraryApprovers } from './support/arbitrary-policy.ts';
import { type CorpusCase, expressionOf, loadCorpus, loadInputs } from './support/corpus.ts';
import { decisionCases, toRequest, users } from './support/decisions.ts';
import { host } from './support/host.ts';
import { vocabularies } from './support/vocabularies.ts';

const files = ['language', 'reference', 'addresses', 'time', 'effects', 'arithmetic', 'integers', 'controls', 'diagnostics'];
const inputs = loadInputs();

/** The value of a case in a version of the language: a bool, an error, or REFUSED. */
function outcome(entry: CorpusCase, language: LanguageVersion): string {
  const { field, text } = expressionOf(entry);
  const asks = entry.effect === 'EFFECT_DENY' ? 'EVERY_OPERAND' : 'UNTIL_DECIDED';
  const { expression } = compileExpression(text, field, { ...host, vocabularies, language }, asks);
  if (expression === undefined) return 'REFUSED';
  const values = entry.now === undefined ? inputs.get(entry.input ?? '') : timeOf(entry.now);
  const result = values === undefined ? 'no input' : evaluateExpression(expression, values);
  return result instanceof EvaluationError ? result.code : String(result);
}

const timeOf = (now: string): NamespaceValues => new Map([['time.now', BigInt(Date.parse(now))]]);
const differing = (entries: readonly CorpusCase[]) =>
  entries
    .map((entry) => ({ name: entry.name, before: outcome(entry, 2), after: outcome(entry, 3) }))
    .filter(({ before, after }) => before !== after);

describe('D394: the versions of the language', () => {
  test('every case that is older than language 3 has the same value in both', () => {
    const cases = files.flatMap((file) => loadCorpus<CorpusCase>(`${file}.json`));
    expect(cases.length).toBeGreaterThan(700);
    expect(differing(cases)).toEqual([]);
  });

  test('the additions are refused in language 2, or are an error there where language 3 is not', () => {
    const cases = loadCorpus<CorpusCase>('additions.json').map(({ language: _, ...entry }) => entry);
    const found = differing(cases);
    expect(found.length).toBeGreaterThan(30);
    // So an ALLOW of language 2 allows no more than one of language 3, and a DENY of language 2 denies no less.
    for (const { before, after, name } of found) {
      expect(['REFUSED', 'MISSING_FIELD'], name).toContain(before);
      expect(after, name).not.toBe('REFUSED');
    }
    expect(found.filter(({ before }) => before === 'MISSING_FIELD').map(({ name }) => name)).toEqual([
      'a parameter without a value that is not read',
      'a parameter without a value that is not read, in language 2',
    ]);
  });

  test('decisions differ only where `approvers.all` counts those who agree, or where the policy is refused', () => {
    const essence = ({ policies, input, approvers, ...rest }: (typeof decisionCases)[number], language: LanguageVersion) => {
      const set = compilePolicies(
        policies.map((policy) => ({ ...policy, language })),
        { ...host, vocabularies },
      );
      const { rootQuorum, rootQuorumOnly, selfService } = rest;
      const more = {
        ...(rootQuorum !== undefined && { rootQuorum }),
        ...(rootQuorumOnly !== undefined && { rootQuorumOnly }),
        ...(selfService !== undefined && { selfService }),
      };
      return decide(set, toRequest(input, approvers, more)).outcome;
    };
    const changed = decisionCases.filter((entry) => essence(entry, 2) !== essence(entry, 3)).map(({ name }) => name);
    expect(changed.filter((name) => !/^(all|requester|D394|D397)/.test(name))).toEqual([]);
    expect(changed.length).toBeGreaterThan(5);
  });

  test('a policy that is stored in language 2 and contains an addition grants nothing, or denies', () => {
    const decided = (effect: 'EFFECT_ALLOW' | 'EFFECT_DENY', language: LanguageVersion) => {
      const own = { id: 'p', effect, language, condition: 'eth.tx.chain_id not in [1]' };
      const open = { id: 'all', effect: 'EFFECT_ALLOW', language } as const;
      return decide(compilePolicies(effect === 'EFFECT_DENY' ? [own, open] : [own], host), toRequest('eth-transfer', ['u-bob']))
        .outcome;
    };
    expect([decided('EFFECT_ALLOW', 2), decided('EFFECT_DENY', 2)]).toEqual(['DENY', 'DENY']);
    expect([decided('EFFECT_ALLOW', 3), decided('EFFECT_DENY', 3)]).toEqual(['ALLOW', 'DENY']);
  });
});

/** The approvals of some users, as namespaces. */
function approvals(list: readonly PolicyUser[]): NamespaceValues {
  const credentials = list.flatMap((user) => user.credentials ?? []);
  return withApproval(new Map(), { users: list, credentials });
}

const clauses = [
  'approvers.count() >= 2',
  'approvers.count() == 2',
  "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
  "approvers.any(u, credentials.any(c, c.user_id == u.id) && u.id != 'u-alice')",
  "!approvers.any(u, u.id == 'u-bob')",
  '[1, 2].any(a, [2].any(b, approvers.count() <= b && a + b >= approvers.count()))',
  "approvers.all(u, u.id != 'u-alice')",
  'credentials.count() <= 2',
];
const conditions = ["u.tags.contains('t-ops')", "u.tags.any(tag, tag == 't-security')", "u.id != 'u-dave'"];

describe('those who agree', () => {
  test('D394: the consensus is true exactly if it is true for them alone, and there is one', () => {
    const people = arbitraryApprovers.map((ids) => ids.flatMap((id) => users.get(id) ?? []));
    const parts = fc.uniqueArray(fc.constantFrom(...clauses), { maxLength: 2 });
    fc.assert(
      fc.property(people, fc.constantFrom(...conditions), parts, fc.boolean(), (list, condition, others, first) => {
        const all = `approvers.all(u, ${condition})`;
        const text = (first ? [all, ...others] : [...others, all]).join(' && ');
        const plain = compileExpression(text, 'consensus', host).expression;
        const counted = compileExpression(text, 'consensus', host, 'UNTIL_DECIDED', amongAgreeing).expression;
        if (plain === undefined || counted === undefined) throw new Error(`does not compile: ${text}`);
        // The clauses may contain a second `all`, which restricts the group further.
        const rules = [all, ...others.filter((each) => each.startsWith('approvers.all'))];
        const agrees = (user: PolicyUser) =>
          rules.every((rule) => {
            const { expression } = compileExpression(rule, 'consensus', host);
            return expression !== undefined && evaluateExpression(expression, approvals([user])) === true;
          });
        const agreeing = list.filter(agrees);
        const expected = agreeing.length > 0 && evaluateExpression(plain, approvals(agreeing));
        expect(evaluateExpression(counted, approvals(list)), text).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('a consensus that one more approval can make false is reported', () => {
    const lint = (consensus: string, language?: LanguageVersion) =>
      lintPolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition: 'tx.understood', consensus, language }], host)
        .filter(({ code }) => code === 'APPROVAL_CAN_BLOCK')
        .map(({ help }) => help?.slice(0, 22));
    const all = "approvers.all(u, u.tags.contains('t-ops')) && approvers.count() >= 4";
    expect(lint(all)).toEqual([]);
    expect(lint(all, 2)).toEqual(['store the policy again']);
    expect(lint('approvers.count() == 2')).toEqual(['say how many approvals']);
  });

  test('a group that is too small is reported', () => {
    const consensus = "approvers.all(u, u.tags.contains('t-ops')) && approvers.count() >= 4";
    const organization = { users, rootQuorum: { threshold: 1, userIds: ['u-root-1'] } };
    const warnings = (text: string) =>
      lintPolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition: 'tx.understood', consensus: text }], { ...host, organization })
        .filter(({ field }) => field === 'consensus')
        .map(({ code }) => code);
    expect(warnings(consensus)).toEqual(['UNREACHABLE_CONSENSUS']);
    expect(warnings(consensus.replace('4', '3'))).toEqual([]);
    expect(warnings('approvers.any(u, u.id != requester.id)')).toEqual([]);
    expect(warnings("requester.tags.contains('t-none')")).toEqual(['UNREACHABLE_CONSENSUS']);
  });
});

describe('D397: the requester', () => {
  const consensus = 'approvers.any(user, user.id != requester.id)';
  const decided = (effect: 'EFFECT_ALLOW' | 'EFFECT_DENY', text: string, approvers: readonly string[], requesterId?: string) => {
    const open = { id: 'all', effect: 'EFFECT_ALLOW' } as const;
    const own = { id: 'p', effect, consensus: text };
    const set = compilePolicies(effect === 'EFFECT_DENY' ? [own, open] : [own], host);
    return decide(set, toRequest('wallet-create', approvers, { requesterId })).outcome;
  };

  test('is who sent the request, not the first whose approval still counts', () => {
    // The approval of u-alice lapsed: u-bob alone is the only approver, and not the requester.
    expect(decided('EFFECT_ALLOW', consensus, ['u-bob'], 'u-alice')).toBe('ALLOW');
    expect(decided('EFFECT_ALLOW', consensus, ['u-bob'], 'u-bob')).toBe('NEEDS_CONSENSUS');
  });

  test('who is not a user any more satisfies nothing: an ALLOW grants nothing, and a DENY denies', () => {
    const deny = "requester.tags.contains('t-blocked')";
    expect(decided('EFFECT_ALLOW', consensus, ['u-bob'], 'u-gone')).toBe('DENY');
    expect(decided('EFFECT_DENY', deny, ['u-bob'], 'u-gone')).toBe('DENY');
    expect(decided('EFFECT_DENY', deny, ['u-bob'], undefined)).toBe('DENY');
    expect(decided('EFFECT_DENY', deny, ['u-bob'], 'u-alice')).toBe('ALLOW');
  });
});
