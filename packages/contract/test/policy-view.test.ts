import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type ActivityDefinition,
  activities,
  activityKind,
  parameterReader,
  policyFields,
  policyView,
  type Spelling,
} from '../src/index.ts';
import { deriveFields, membersOf, readField } from '../src/policy-view/derive.ts';
import { unwrap, type ViewField } from '../src/policy-view/field.ts';
import { policyMarks } from '../src/policy-view/marks.ts';
import type { ViewType, ViewValue } from '../src/policy-view/view-type.ts';
import { secret } from '../src/secrets.ts';
import { sampleOf } from './support/sample.ts';

const spelling: Spelling = { p256: (hex) => `point ${hex.toLowerCase()}`, address: (text) => `address ${text}` };
const table = Object.values<ActivityDefinition>(activities);
describe('policies see every parameter', () => {
  test.each(table.map((definition) => [definition.name, definition] as const))('of %s, but for secrets', (_, definition) => {
    const fields = policyFields(definition);
    for (const [wire, schema] of membersOf(definition.input)) {
      const field = [...fields.values()].find((each) => each.wire === wire);
      expect(field === undefined, wire).toBe(unwrap(schema).secret);
    }
  });

  test.each(table.flatMap((definition) => definition.versions.map((version) => [version.type, definition, version] as const)))(
    'of %s in the form that is carried out',
    (_, definition, version) => {
      const current = version.params.read((_, value) => value as never, sampleOf(version.params.schema)) as Readonly<
        Record<string, unknown>
      >;
      const read = parameterReader(definition, { sent: current, understood: () => current }, spelling);
      const names = new Set(membersOf(definition.input).map(([wire]) => wire));
      // Nothing that an upgrade leads to is unknown to the input, and so to policies.
      expect(Object.keys(current).filter((wire) => !names.has(wire))).toEqual([]);
      for (const { name, wire, type } of policyFields(definition).values()) {
        if (current[wire] === undefined) continue;
        const shown = read(name);
        expect(shown, name).toBeDefined();
        expect(unknownMembers(current[wire], type), name).toEqual([]);
      }
    },
  );

  test('the kinds that have a parameter are those whose contract has it', () => {
    for (const { name, kinds } of policyView().parameters) {
      const having = table.filter((definition) => policyFields(definition).has(name)).map(({ type }) => activityKind(type));
      expect([...kinds].sort(), name).toEqual(having.sort());
    }
  });

  test('all versions of an activity are of one kind', () => {
    for (const { versions } of table) expect(new Set(versions.map(({ type }) => activityKind(type))).size).toBe(1);
  });

  test('what existed before every parameter was seen is still there, and of the same type', () => {
    const types = new Map(policyView().parameters.map(({ name, type }) => [name, JSON.stringify(type)]));
    const text = '{"kind":"string"}';
    const list = `{"kind":"list","of":${text}}`;
    expect(types.get('user_id')).toBe(text);
    expect(types.get('wallet_id')).toBe(text);
    expect(types.get('endpoint_id')).toBe(text);
    expect(types.get('session_profile_id')).toBe(text);
    expect(types.get('user_ids')).toBe(list);
    expect(types.get('api_key_ids')).toBe(list);
    expect(types.get('otp_length')).toBe('{"kind":"int"}');
    expect(types.get('target_public_key')).toBe('{"kind":"string","form":"p256"}');
    for (const name of ['hash_function', 'encoding', 'type'])
      expect(types.get(name)).toBe(`{"kind":"string","vocabulary":"activity.params.${name}"}`);
  });
});

describe('what is left out', () => {
  const all = table.flatMap((definition) =>
    [...policyFields(definition).values()]
      .filter(({ optional }) => optional)
      .map(({ name, absent }) => ({ path: `${definition.name} ${name}`, absent })),
  );

  test('is empty text only where empty text says nothing else', () => {
    const texts = membersDeep(table.map(({ input }) => input));
    for (const [path, schema] of texts) {
      const { inner, optional, secret, mark } = unwrap(schema);
      if (!optional || secret || mark.resolved !== undefined || inner._zod.def.type !== 'string') continue;
      // Either the contract refuses empty text, or it takes it as left out.
      const refused = !(inner as z.ZodType).safeParse('').success;
      expect(refused || takenAsLeftOut.has(path), path).toBe(true);
    }
  });

  test('has no value where only the executor could tell, or where nothing stands for it', () => {
    const silent = all.filter(({ absent }) => absent === undefined).map(({ path }) => path);
    expect(silent.sort()).toMatchInlineSnapshot(`
      [
        "createPolicy condition",
        "createPolicy consensus",
        "createReadWriteSession email",
        "createReadWriteSession expiration_seconds",
        "createReadWriteSession user_id",
        "createSessionProfile expiration_seconds",
        "emailAuth expiration_seconds",
        "endSessions user_id",
        "ethReplaceTransaction max_fee_per_gas",
        "ethReplaceTransaction max_priority_fee_per_gas",
        "ethSendTransaction gas_limit",
        "ethSendTransaction max_fee_per_gas",
        "ethSendTransaction max_priority_fee_per_gas",
        "ethSendTransaction nonce",
        "ethUndelegate7702 gas_limit",
        "ethUndelegate7702 max_fee_per_gas",
        "ethUndelegate7702 max_priority_fee_per_gas",
        "ethUndelegate7702 nonce",
        "exchangeOneTimeKey invitation_id",
        "exportWallet language",
        "initUserEmailRecovery expiration_seconds",
        "oauth expiration_seconds",
        "oauthLogin expiration_seconds",
        "otpAuth expiration_seconds",
        "otpLogin expiration_seconds",
        "setIpAllowlist rules",
        "solSendTransaction recent_blockhash",
        "stampLogin expiration_seconds",
        "updateAuthProxyConfig allowed_auth_methods",
        "updateAuthProxyConfig allowed_origins",
        "updateAuthProxyConfig otp_alphanumeric",
        "updateAuthProxyConfig otp_expiration_seconds",
        "updateAuthProxyConfig otp_length",
        "updateAuthProxyConfig session_expiration_seconds",
        "updateAuthProxyConfig session_profile_id",
        "updateAuthProxyConfig verification_token_expiration_seconds",
        "updateAuthProxyConfig verification_token_required_for_get_account_pii",
        "updateContact contact_tags",
        "updateContact label",
        "updateContact notes",
        "updateMfaPolicy notes",
        "updateMfaPolicy order",
        "updateMfaPolicy required_authentication_methods",
        "updatePolicy policy_effect",
        "updatePolicy policy_notes",
        "updatePolicy time",
        "updateUser user_tag_ids",
        "updateVelocityControl control_rules",
        "updateVelocityControl identifier",
        "updateVelocityControl name",
        "updateVelocityControl new_threshold",
        "updateVelocityControl operator",
        "updateVelocityControl other_assets",
        "updateVelocityControl window",
        "updateWebhookEndpoint delivery_mode",
        "updateWebhookEndpoint is_active",
        "updateWebhookEndpoint url",
        "verifyOtp public_key",
      ]
    `);
  });

  test('is otherwise the documented default', () => {
    const defaults = all.filter(({ absent }) => absent !== undefined && absent !== '' && typeof absent !== 'object');
    const shown = new Map(defaults.map(({ path, absent }) => [path, absent]));
    expect(shown.get('initOtp expiration_seconds')).toBe(300n);
    expect(shown.get('initOtpAuth expiration_seconds')).toBe(300n);
    expect(shown.get('verifyOtp expiration_seconds')).toBe(3600n);
    expect(shown.get('initOtpAuth otp_length')).toBe(9n);
    expect(shown.get('createWallet mnemonic_length')).toBe(12n);
    expect(shown.get('createWalletAccounts persist')).toBe(true);
    expect(shown.get('deleteWallets delete_without_export')).toBe(false);
    expect(shown.get('setIpAllowlist on_evaluation_error')).toBe('DENY');
    const read = parameterReader(activities.createWebhookEndpoint, { sent: {}, understood: () => ({}) }, spelling);
    expect(read('subscriptions')).toEqual([{ event_type: 'ACTIVITY_UPDATES', filters_json: '', is_active: true }]);
  });

  test('SECURITY: a key without a lifetime shows no number that a bound could let pass', () => {
    const params = { userId: 'u', apiKeys: [{ apiKeyName: 'Key', publicKey: 'AB', curveType: 'API_KEY_CURVE_P256' }] };
    const read = parameterReader(activities.createApiKeys, { sent: params, understood: () => params }, spelling);
    expect(read('api_keys')).toEqual([{ api_key_name: 'Key', public_key: 'ab', curve_type: 'API_KEY_CURVE_P256' }]);
  });

  test('a record that is left out follows the rules member by member', () => {
    const read = parameterReader(activities.createSubOrganization, { sent: {}, understood: () => ({}) }, spelling);
    expect(read('wallet')).toEqual({ wallet_name: '', accounts: [], mnemonic_length: 12n });
    expect(read('private_keys')).toEqual([]);
    expect(read('root_users')).toBeUndefined();
  });
});

describe('how a schema is seen', () => {
  const fieldsOf = (shape: Record<string, z.ZodType>) => deriveFields(z.strictObject(shape), 'activity.params');
  const only = (schema: z.ZodType): ViewField => fieldsOf({ theField: schema })[0] as ViewField;
  const shown = (schema: z.ZodType, value: unknown): ViewValue | undefined => readField(only(schema), value, spelling);

  test.each<[string, z.ZodType, unknown, ViewValue | undefined]>([
    ['text', z.string(), 'As It Is', 'As It Is'],
    ['a whole number', z.int(), 5, 5n],
    ['a number that is not whole', z.number(), 1.5, undefined],
    ['digits in a string', z.string().regex(/^[1-9]\d{0,8}$/), '3600', 3600n],
    ['digits that may begin with a zero', z.string().regex(/^\d{6}$/), '012345', '012345'],
    ['hexadecimal digits', z.string().regex(/^[0-9a-fA-F]{4}$/), 'AbCd', 'abcd'],
    ['an e-mail address', z.email(), 'Somebody@Example.com', 'somebody@example.com'],
    ['a marked text', z.string().register(policyMarks, { form: 'caseless' }), 'Mixed', 'mixed'],
    ['a public key', z.string().register(policyMarks, { form: 'p256' }), 'AB', 'point ab'],
    ['an address', z.string().register(policyMarks, { form: 'address' }), '0xAB', 'address 0xAB'],
    ['a flag', z.boolean(), false, false],
    ['words', z.enum(['A', 'B']), 'B', 'B'],
    ['a literal', z.literal('A'), 'A', 'A'],
    ['numbers of a set', z.union([z.literal(12), z.literal(24)]), 24, 24n],
    ['a list', z.array(z.int()), [1, 2], [1n, 2n]],
    ['a list with an element that has no form', z.array(z.number()), [1, 1.5], undefined],
    ['a map', z.record(z.string(), z.int()), { a: 1 }, new Map([['a', 1n]])],
    ['a record', z.strictObject({ innerField: z.int() }), { innerField: 1 }, { inner_field: 1n }],
    ['null', z.string().nullable(), null, ''],
    ['a default of the schema', z.int().default(4), undefined, 4n],
    ['a documented default', z.int().optional().meta({ default: 4 }), undefined, 4n],
    ['what only the executor knows', z.string().optional().register(policyMarks, { resolved: 'it' }), undefined, undefined],
    ['a value of another type than its schema', z.int(), 'five', undefined],
  ])('%s', (_, schema, value, expected) => {
    expect(shown(schema, value)).toEqual(expected);
  });

  test('a union of records has the members of all of them', () => {
    const union = z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('MAIL'), address: z.email() }),
      z.strictObject({ type: z.literal('TEXT'), number: z.string(), urgent: z.boolean() }),
    ]);
    expect(only(union).type).toMatchObject({
      kind: 'struct',
      fields: { type: { type: { words: ['MAIL', 'TEXT'] } }, address: {}, number: {}, urgent: {} },
    });
    expect(shown(union, { type: 'MAIL', address: 'A@b.example' })).toEqual({ type: 'MAIL', address: 'a@b.example', number: '' });
    expect(shown(union, { type: 'TEXT', number: '1', urgent: true })).toEqual({
      type: 'TEXT',
      address: '',
      number: '1',
      urgent: true,
    });
  });

  test.each<[string, z.ZodType]>([
    ['by itself', secret(z.string())],
    ['with a description after it', secret(z.string()).describe('A token')],
    ['with a check after it', secret(z.string()).min(1)],
    ['that may be left out', secret(z.string()).optional().describe('A token')],
    ['marked after it became optional', secret(z.string().optional())],
    ['that is a record', secret(z.strictObject({ inner: z.string() }))],
  ])('a secret %s is not seen', (_, schema) => {
    expect(fieldsOf({ theField: schema, other: z.string() }).map(({ name }) => name)).toEqual(['other']);
    const list = fieldsOf({ list: z.array(z.strictObject({ theField: schema, other: z.string() })) })[0] as ViewField;
    expect(readField(list, [{ theField: 'shh', other: 'x' }], spelling)).toEqual([{ other: 'x' }]);
  });

  test('a schema without a counterpart in the language is refused by name', () => {
    expect(() => only(z.date())).toThrow('activity.params.the_field');
    expect(() => only(z.unknown())).toThrow('activity.params.the_field');
  });

  test('one name for two types is refused by name', () => {
    const mixed = z.union([z.strictObject({ value: z.int() }), z.strictObject({ value: z.string() })]);
    expect(() => only(mixed)).toThrow('activity.params.the_field.value');
    const spelled = z.union([z.strictObject({ value: z.email() }), z.strictObject({ value: z.string() })]);
    expect(() => only(spelled)).toThrow('caseless in one activity, plain text in another');
  });
});

/** Optional texts that may be sent empty, by the reason why that means the same as leaving them out. */
const takenAsLeftOut: ReadonlySet<string> = new Set([
  // Empty notes are no notes.
  'notes',
  'policies.notes',
  'contacts.notes',
  // An empty expression is refused when the policy is read, but for an empty consensus or time, which counts as none. An update refuses
  // an empty consensus where the policy has one.
  'time',
  'policies.condition',
  'policies.consensus',
  'policies.time',
  'policyCondition',
  'policyConsensus',
  // Parts of messages: empty is the usual look.
  ...['appName', 'logoUrl', 'magicLinkTemplate', 'templateVariables', 'templateId'].flatMap((part) => [
    `emailCustomization.${part}`,
    `emailCustomizationParams.${part}`,
  ]),
  'smsCustomization.template',
  'smsCustomizationParams.template',
  'userIdentifier',
  'subscriptions.filtersJson',
]);

/** Members of a value that its type does not know, at any depth. */
function unknownMembers(value: unknown, type: ViewType): readonly string[] {
  if (type.kind === 'list') return (value as unknown[]).flatMap((each) => unknownMembers(each, type.of));
  if (type.kind !== 'struct' || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([wire, inner]) => {
    const name = wire.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const field = type.fields[name];
    if (field === undefined) return secretMembers.has(wire) ? [] : [wire];
    return unknownMembers(inner, field.type);
  });
}

/** Secrets inside records. */
const secretMembers: ReadonlySet<string> = new Set(['oidcToken']);

/** Every member of the schemas at any depth, by its path. */
function membersDeep(schemas: readonly z.core.$ZodType[], path = ''): readonly (readonly [string, z.core.$ZodType])[] {
  return schemas.flatMap((schema) =>
    membersOf(schema).flatMap(([wire, member]) => {
      const at = path === '' ? wire : `${path}.${wire}`;
      const { inner } = unwrap(member);
      const { element } = inner._zod.def as { element?: z.core.$ZodType };
      const below = element === undefined ? inner : unwrap(element).inner;
      return [[at, member] as const, ...membersDeep([below], at)];
    }),
  );
}
