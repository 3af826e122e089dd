import type { Check, ParameterReader } from '@countersign/contract';
import { validate } from './validate.ts';
import { withoutNulls } from './without-nulls.ts';

/** Converts the parameters of a request to the executor's input. Throws REQUEST_INVALID that names every wrong field. */
export function readParameters(reader: ParameterReader, parameters: unknown): unknown {
  return reader.read(check, parameters);
}

const check: Check = (schema, value) => validate(schema, withoutNulls(value));
