import type { ParameterReader } from '@countersign/contract';
import { validate } from './validate.ts';
import { withoutNulls } from './without-nulls.ts';

/** The executor's input from the parameters of a request. Throws REQUEST_INVALID that names every wrong field. */
export function readParameters(reader: ParameterReader, parameters: unknown): unknown {
  return reader.read(validate, withoutNulls(parameters));
}
