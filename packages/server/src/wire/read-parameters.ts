import type { Check, ParameterReader } from '@countersign/contract';
import { NOT_TAKEN, quickReaderOf } from './quick-reader.ts';
import { validate } from './validate.ts';
import { withoutNulls } from './without-nulls.ts';

/** The executor's input from the parameters of a request. Throws REQUEST_INVALID that names every wrong field. */
export function readParameters(reader: ParameterReader, parameters: unknown): unknown {
  return reader.read(check, parameters);
}

/** A quick reader takes no null, so what it takes has none to leave out. */
const check: Check = (schema, value) => {
  const read = quickReaderOf(schema)?.(value) ?? NOT_TAKEN;
  return read === NOT_TAKEN ? validate(schema, withoutNulls(value)) : (read as ReturnType<typeof check<typeof schema>>);
};
