import assert from 'node:assert/strict';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const timestamp = (value) => /^\d+$/.test(value?.seconds) && /^\d+$/.test(value?.nanos);

const kinds = {
  id: (value) => uuid.test(value),
  ids: (value) => Array.isArray(value) && value.length > 0 && value.every((item) => uuid.test(item)),
  text: (value) => typeof value === 'string' && value !== '',
  texts: (value) => Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && item !== ''),
  list: (value) => Array.isArray(value),
  flag: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  time: timestamp,
};

/**
 * Checks that an answer has every field with its kind. A client that reads a missing field sees no error.
 * @param {object} answer
 * @param {Record<string, keyof typeof kinds>} fields
 */
export function checkFields(answer, fields) {
  for (const [name, kind] of Object.entries(fields)) {
    assert.ok(kinds[kind](answer?.[name]), `${name} should be ${kind}: ${JSON.stringify(answer)?.slice(0, 600)}`);
  }
  return answer;
}
