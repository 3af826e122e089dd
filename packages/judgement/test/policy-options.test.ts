import { readFileSync } from 'node:fs';
import {
  type ActivityDefinition,
  activities,
  activityKind,
  notOfferedTypes,
  type QueryDefinition,
  queries,
  queryKind,
} from '@countersign/contract';
import { policyOptions } from '@countersign/judgement';
import { checkPolicy, compilePolicies, lintPolicies } from '@countersign/policy';
import { describe, expect, test } from 'vitest';

const table = Object.values(activities as unknown as Record<string, ActivityDefinition>);
const check = (condition: string) => checkPolicy({ condition }, policyOptions).map(({ code }) => code);

describe('literals of the contract', () => {
  test('policies can name every type, kind, resource and action of the contract', () => {
    for (const { versions, policy } of table) {
      for (const { type } of versions) {
        expect(check(`activity.type == '${type}' && activity.kind == '${activityKind(type)}'`)).toEqual([]);
      }
      expect(check(`activity.resource == '${policy.resource}' && activity.action == '${policy.action}'`)).toEqual([]);
    }
  });

  test('D320: policies can name every query and its resources, and no query is named like an activity', () => {
    const kinds = new Set(
      [...table.flatMap(({ versions }) => versions.map(({ type }) => type)), ...notOfferedTypes].map(activityKind),
    );
    for (const query of Object.values<QueryDefinition>(queries)) {
      expect(check(`activity.kind == '${queryKind(query)}'`)).toEqual([]);
      for (const resource of query.reads.resources)
        expect(check(`activity.action == 'READ' && activity.resource == '${resource}'`)).toEqual([]);
      expect(kinds).not.toContain(queryKind(query));
    }
    expect(table.map(({ policy }) => policy.action)).not.toContain('READ');
  });

  test('and no others', () => {
    for (const path of ['type', 'kind', 'resource', 'action', 'params.hash_function', 'params.encoding', 'params.type']) {
      expect(check(`activity.${path} == 'SOMETHING_ELSE'`), path).toEqual(['UNKNOWN_LITERAL']);
    }
  });

  test('a type of transactions that clients send and the service does not sign gets the reason instead of another type', () => {
    const [diagnostic] = checkPolicy({ condition: "activity.params.type == 'TRANSACTION_TYPE_TEMPO'" }, policyOptions);
    expect(diagnostic?.help).toBe(
      'this service signs transactions of Ethereum, Solana, Tron or Bitcoin: no request has this type',
    );
    const [mistyped] = checkPolicy({ condition: "activity.params.type == 'TRANSACTION_TYPE_TRN'" }, policyOptions);
    expect(mistyped?.help).toContain('TRANSACTION_TYPE_TRON');
  });

  test('every expression of the reference is accepted', () => {
    const url = new URL('../../../conformance/policy/reference.json', import.meta.url);
    const { cases } = JSON.parse(readFileSync(url, 'utf8')) as {
      cases: { name: string; condition?: string; consensus?: string }[];
    };
    expect(cases.length).toBeGreaterThan(100);
    for (const { name, condition, consensus } of cases) {
      const expressions = { ...(condition !== undefined && { condition }), ...(consensus !== undefined && { consensus }) };
      expect(checkPolicy(expressions, policyOptions), name).toEqual([]);
    }
  });

  test('every policy of the guide is accepted', () => {
    const guide = readFileSync(new URL('../../../docs/guide/policy-parameters.md', import.meta.url), 'utf8');
    const policies = [...guide.matchAll(/```policy\n(.*?)\n```/gs)].map(([, condition]) => condition as string);
    expect(policies.length).toBeGreaterThan(5);
    for (const condition of policies) expect(checkPolicy({ condition }, policyOptions), condition).toEqual([]);
  });

  test.each([
    ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'SIGN_TRANSACTION'],
    ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', 'SIGN_TRANSACTION'],
    ['ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', 'CREATE_SUB_ORGANIZATION'],
    ['ACTIVITY_TYPE_OAUTH2_AUTHENTICATE', 'OAUTH2_AUTHENTICATE'],
  ])('the kind of %s is %s', (type, kind) => {
    expect(activityKind(type)).toBe(kind);
  });
});

describe('parameters', () => {
  const diagnose = (condition: string) => checkPolicy({ condition }, policyOptions);

  test('one that no activity has is refused, with the nearest name', () => {
    const [found] = diagnose("activity.params.user_idd == 'u'");
    expect(found).toMatchObject({
      code: 'UNKNOWN_FIELD',
      message: '`activity.params` has no `user_idd`',
      help: 'did you mean `user_id`?',
    });
  });

  test('one that only the root quorum can send is known, and a policy about it never matches', () => {
    const source = { id: 'p', effect: 'EFFECT_DENY', condition: 'activity.params.threshold == 1' } as const;
    expect(diagnose(source.condition)).toEqual([]);
    expect(lintPolicies([source], policyOptions).map(({ code }) => code)).toEqual(['NEVER_MATCHES']);
  });

  test.each(['otp_code', 'oidc_token', 'verification_token', 'client_signature'])('the secret %s is refused as such', (name) => {
    const [found] = diagnose(`activity.params.${name} == 'x'`);
    expect(found).toMatchObject({ code: 'UNKNOWN_FIELD', help: 'this parameter is secret, and policies do not see secrets' });
  });

  test('a secret inside a record is not a field of it', () => {
    expect(check("activity.params.oauth_providers.any(p, p.oidc_token == 'x')")).toEqual(['UNKNOWN_FIELD']);
  });

  test('the names of parameters are words too', () => {
    expect(
      check("activity.given.contains('user_email') && activity.given.all(p, p in ['user_id', 'verification_token'])"),
    ).toEqual([]);
    expect(check("activity.given.contains('user_mail')")).toEqual(['UNKNOWN_LITERAL']);
  });

  test('a literal is compared in the spelling of its parameter', () => {
    expect(check("activity.params.expiration_seconds == '15m'")).toEqual(['TYPE_MISMATCH']);
    expect(check("activity.params.users.any(u, u.api_keys.any(k, k.curve_type == 'API_KEY_CURVE_P265'))")).toEqual([
      'UNKNOWN_LITERAL',
    ]);
  });
});

describe('addresses', () => {
  const spelled = (kind: string, text: string) => policyOptions.normalizers?.[kind as 'ethereum']?.(text);

  test.each([
    ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
    ['tron', 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N6', 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N6'],
    ['solana', '11111111111111111111111111111111', '11111111111111111111111111111111'],
    ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'],
  ])('D34: %s has one form for each address', (kind, one, other) => {
    expect(spelled(kind, one)).toBeDefined();
    expect(spelled(kind, other)).toEqual(spelled(kind, one));
  });

  test.each([
    ['ethereum', '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['ethereum', ''],
    ['tron', 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N7'],
    ['solana', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['bitcoin', 'TTA1VjEmTscLXTmdzG1DRTw6U8ueQKX6N6'],
  ])('the address kind %s refuses %s', (kind, text) => {
    expect(spelled(kind, text)).toBeUndefined();
  });

  test('a policy that was stored with an invalid Bitcoin address still compiles, and a new one does not', () => {
    const condition = "bitcoin.tx.outputs.any(o, o.address == 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5')";
    expect(check(condition)).toEqual(['INVALID_ADDRESS']);
    const [stored] = compilePolicies([{ id: 'p', effect: 'EFFECT_DENY', condition }], policyOptions).policies;
    expect(stored?.invalid).toEqual([]);
  });
});

describe('D399: text beside an address', () => {
  const problems = (condition: string, contacts: readonly string[] = []) =>
    checkPolicy({ condition }, { ...policyOptions, contacts: () => contacts }).map(({ code, help }) => [code, help]);
  const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

  test.each([
    ['a checksum', ADDRESS.replace('Aed', 'Aec'), /checksum/],
    ['a digit too few', ADDRESS.slice(0, -1), /40 hexadecimal digits after 0x, and this has 39/],
    ['a name', 'vendor.eth', /write the address/],
    ['a word', 'vendor', /whole address/],
  ])('that is no address is refused: %s', (_, text, help) => {
    for (const path of ['e.to', 'e.from', 'e.owner'])
      expect(problems(`effects.any(e, ${path} == '${text}')`)).toEqual([['INVALID_ADDRESS', expect.stringMatching(help)]]);
    expect(problems(`wallet_account.address in ['${text}']`)).toEqual([['INVALID_ADDRESS', expect.stringMatching(help)]]);
  });

  test('a similar contact is named', () => {
    const contact = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
    expect(problems(`effects.any(e, e.to == '${contact.replace('5mdq', '5mdp')}')`, [contact])).toEqual([
      ['INVALID_ADDRESS', `did you mean the contact \`${contact}\`?`],
    ]);
  });

  test.each([
    ADDRESS,
    ADDRESS.toLowerCase(),
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PxpJBDx',
    'cosmos1depk54cuajgkzea6zpgkq36tnjwdzv4afc3d27',
    '',
    'OP_RETURN',
  ])('a legitimate receiver is accepted: %s', (text) => {
    expect(problems(`effects.any(e, e.to == '${text}')`)).toEqual([]);
  });

  test('a parameter that can also be an id is compared with ids', () => {
    expect(problems("activity.params.sign_with == '11111111-1111-4111-8111-111111111111'")).toEqual([]);
  });

  test('a stored policy keeps compiling, and the comparison is never true', () => {
    const set = compilePolicies(
      [{ id: 'p', effect: 'EFFECT_DENY', condition: "effects.any(e, e.to == 'vendor')" }],
      policyOptions,
    );
    expect(set.policies[0]?.invalid).toEqual([]);
  });
});

describe('messages contain the text to write', () => {
  const first = (condition: string) => {
    const [found] = checkPolicy({ condition }, policyOptions);
    return `${found?.message}: ${found?.help}`;
  };

  test.each([
    ['eth.tx.to == 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', "write '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'"],
    ["eth.tx.from == ''", 'write `eth.tx.is_deployment`'],
    ["eth.tx.value == ''", 'has(…)'],
    ["eth.tx.to !in ['x']", 'compare it'],
    ['eth.tx.value <= 1,000', 'write 1_000, without a comma'],
    ['eth.tx.value <= 1,500', 'write 1_500, without a comma'],
    ['[1,000].count() == 1', 'write 0, and a number such as one thousand as 1_000'],
    ['eth.tx.value <= 1.000', 'write 1_000'],
    ['2 of 3', '.count() >= 2'],
    ['eth.tx.data[0..10] == 0xa9059cbb', "write '0xa9059cbb' for bytes"],
    ['activity.kind == SIGN_TRANSACTION', "'SIGN_TRANSACTION'"],
    ["activity.type == 'SIGN_TRANSACTION'", '`activity.kind` can be'],
    ["user.tags.contains('x')", 'in the consensus'],
    ['eth.tx.to in contacts', '`.all`, `.tagged`'],
    ["effects.to == 'x'", 'list.all(e, e.to == …)'],
    ['wallet.id == null', 'has(…)'],
    ['eth.tx.value <= limit', 'let limit = …;'],
    ["wallet.label.contains('hot')", "text.startsWith('…')"],
    ['true // comment', 'write a comment as `# …`'],
    ['true; true', 'only `let name = value;`'],
    ["private_key.tags == 'x'", 'list.contains(…)'],
  ])('%s', (condition, help) => {
    expect(first(condition)).toContain(help);
  });
});
