import type { Client, InputOf, OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';

type QueryName = keyof Queries;
type Input<Name extends QueryName> = InputOf<Queries[Name]>;
type Output<Name extends QueryName> = OutputOf<Queries[Name]>;

/** One query of the service, by its name. */
export function ask<Name extends QueryName>(
  client: Client,
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Output<Name>> {
  const method = client[name] as unknown as (given: Input<Name>, options?: { signal: AbortSignal }) => Promise<Output<Name>>;
  return method(input, signal && { signal });
}
