import { activities, jsonSchemaOf, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { exampleFor } from '../src/example.ts';

describe('jsonSchemaOf', () => {
  test('stands alone: shared shapes are in place and carry their name', () => {
    const schema = jsonSchemaOf(activities.createWallet.params);
    expect(JSON.stringify(schema)).not.toContain('$ref');
    expect(schema.title).toBe('WalletParams');
    expect(schema.properties?.accounts?.items?.properties?.curve).toEqual({
      title: 'Curve',
      type: 'string',
      enum: ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'],
    });
  });

  test('keeps what is required and what is closed', () => {
    const schema = jsonSchemaOf(queries.listActivities.input);
    expect(schema.required).toEqual(['organizationId']);
    expect(schema.additionalProperties).toBe(false);
  });
});

describe('exampleFor', () => {
  test('follows the schema where no sample is known for the field', () => {
    expect(exampleFor({ type: 'integer', minimum: 3 }, 'threshold')).toBe(3);
    expect(exampleFor({ anyOf: [{ const: 12 }, { const: 24 }] }, 'words')).toBe(12);
    expect(exampleFor({ type: 'string' }, 'newUserTagName')).toBe('new user tag name');
    expect(exampleFor({ type: 'array', minItems: 2, items: { type: 'boolean' } }, 'answers')).toEqual([true, true]);
    expect(exampleFor({ type: 'array', items: { type: 'string' } }, 'userTags')).toEqual([]);
  });
});
