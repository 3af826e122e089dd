import type { z } from 'zod';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

const uuid = '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60';
const base64url = 'dGhpcyBpcyBhbiBleGFtcGxl';

/** Sample values by field name. Other fields get a value from their schema. */
const samples: Readonly<Record<string, unknown>> = {
  allowedOrigins: ['https://app.example.com'],
  paymentMethodId: 'pm_1N3T00LkdIwHu7ixt44h1F8k',
  productId: 'business',
  signWith: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  address: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  from: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  caip2: 'eip155:1',
  payload: '48656c6c6f',
  payloads: ['48656c6c6f', '776f726c64'],
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  unsignedTransaction: '02e7018084773594008504a817c800825208949858effd232b4033e47d90003d41ec34ecaeda94880de0b6b3a764000080c0',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  walletName: 'Treasury',
  privateKeyName: 'Hot key',
  apiKeyName: 'Deployment',
  authenticatorName: 'Security key',
  subOrganizationName: 'Customer 1042',
  userName: 'Operations',
  userEmail: 'operations@example.com',
  userPhoneNumber: '+15555550100',
  email: 'operations@example.com',
  smartContractAddress: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  smartContractInterface: '[{"type":"function","name":"pause","inputs":[],"outputs":[],"stateMutability":"nonpayable"}]',
  contactTags: ['vendors'],
  asset: 'eip155:1/erc20:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  symbol: 'ACME',
  decimals: 6,
  identifier: 'daily_usdc',
  dataSource: {
    chainAssetTransfer: {
      definition: [{ caip19: 'eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: '6' }],
    },
  },
  aggregation: {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
    threshold: '100000',
    window: { rolling: { duration: '86400' } },
    groupBy: { organization: {} },
  },
  provider: 'OAUTH2_PROVIDER_DISCORD',
  clientId: '1042',
  encryptedClientSecret: '5f'.repeat(120),
  redirectUri: 'https://app.example.com/callback',
  // RFC 7636, appendix B.
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  nonce: '1663bba492a323085b13895634a3618792c4ec6896f3c34ef3c26396df22ef82',
  newThreshold: '250000',
  since: '1767139200000',
  until: '1767225600000',
  cidr: '192.0.2.0/24',
  url: 'https://hooks.example.com/activities',
  endpoint: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
  // RFC 8291, section 5.
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  publicKey: '02c0ded2bc1f1305fb0faac5e6c03ee3a1924234985427b6167ca569d13df435cf',
  targetPublicKey:
    '04c0ded2bc1f1305fb0faac5e6c03ee3a1924234985427b6167ca569d13df435cf3eec33c4ca8b7a84a4f20e8f4982ac77de787f5c3c9343efeb05326b8c962f8a',
  expirationSeconds: '600',
  otpType: 'OTP_TYPE_EMAIL',
  contact: 'operations@example.com',
  otpCode: '7K3M9QX2A',
  oauthProvider: { providerName: 'Google', oidcToken: `${base64url}.${base64url}.${base64url}` },
  limit: '10',
  timestampMs: '1767225600000',
  fingerprint: `sha256:${'5f'.repeat(32)}`,
};

/** Lists that may be empty, but show more with one item. */
const populated: ReadonlySet<string> = new Set(['accounts', 'apiKeys', 'rules']);

/** Optional fields without which a call would do nothing. */
const telling: ReadonlySet<string> = new Set(['rules', 'isActive', 'newThreshold']);

/** A plausible value that fits the schema, for help texts and the reference. */
export function exampleOf(schema: z.ZodType): unknown {
  return exampleFor(jsonSchemaOf(schema), '');
}

/** A plausible value for one field. Its name helps to choose the value. */
export function exampleFor(schema: JsonSchema, field: string): unknown {
  if (field in samples && fits(schema, samples[field])) return samples[field];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return exampleFor(schema.anyOf[0], field);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) === true || telling.has(name))
          .map(([name, property]) => [name, exampleFor(property, name)]),
      );
    case 'array': {
      const wanted = populated.has(field) ? 1 : (schema.minItems ?? 0);
      return Array.from({ length: wanted }, () => exampleFor(schema.items ?? {}, field.replace(/s$/, '')));
    }
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    default:
      return textFor(schema, field);
  }
}

/** Fields of one name may have different schemas. */
function fits({ type, pattern }: JsonSchema, sample: unknown): boolean {
  if (typeof sample === 'string' && pattern !== undefined) return new RegExp(pattern, 'u').test(sample);
  return (type === 'object') === (typeof sample === 'object');
}

const otherChains = [
  // Of operations for one kind of chain.
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'tron:0x2b6653dc',
  'bip122:000000000019d6689c085ae165831e93',
];

function textFor({ format, pattern = '' }: JsonSchema, field: string): string {
  const chain = field === 'caip2' ? otherChains.find((name) => new RegExp(pattern, 'u').test(name)) : undefined;
  if (chain !== undefined) return chain;
  if (pattern.startsWith('^([0-9a-f]{64}|')) return '5f'.repeat(32);
  if (pattern.startsWith('^[A-Za-z0-9_-]')) return base64url;
  if (format === 'email') return 'operations@example.com';
  if (format === 'uuid' || /(^i|I)ds?$/.test(field)) return uuid;
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
