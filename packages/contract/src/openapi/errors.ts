import { errorCodes } from '../errors.ts';
import { content, type Json, reference } from './json.ts';

const statuses = [...new Set(Object.values(errorCodes).map((code) => code.status))].sort((a, b) => a - b);

/** References to the error responses, which all operations of a dialect share. */
export function errorReferences(kind: 'Error' | 'CompatibleError'): Json {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${kind}${status}` }]));
}

/** One response per HTTP status and dialect, with its possible codes. */
export function errorResponses(): Record<string, Json> {
  return Object.fromEntries(
    statuses.flatMap((status) => {
      const codes = Object.entries(errorCodes).filter(([, code]) => code.status === status);
      const description = codes.map(([code, { title }]) => `${code}: ${title}`).join('. ');
      const narrowed = (kind: string, field: string, values: readonly string[]): Json => ({
        description,
        content: content({ allOf: [reference(kind), { properties: { [field]: { enum: [...new Set(values)] } } }] }),
      });
      const own = codes.map(([code]) => code);
      const compatible = codes.map(([, code]) => code.turnkey);
      return [
        [`Error${status}`, narrowed('Error', 'errorCode', own)],
        [`CompatibleError${status}`, narrowed('CompatibleError', 'turnkeyErrorCode', compatible)],
      ];
    }),
  );
}

/** The error bodies of both dialects. */
export function errorSchemas(): Record<string, Json> {
  const body = {
    code: { type: 'integer', description: 'The gRPC status code' },
    message: { type: 'string', description: 'What is wrong and what to do next' },
    details: { type: 'array', items: { type: 'object', properties: { '@type': { type: 'string' } } } },
  };
  const schema = (field: string): Json => ({
    type: 'object',
    properties: { ...body, [field]: { type: 'string' } },
    required: [...Object.keys(body), field],
  });
  return { Error: schema('errorCode'), CompatibleError: schema('turnkeyErrorCode') };
}
