import type { DialectName } from '@countersign/contract';
import { type Call, queryCall, submitCall } from './call.ts';
import { activityPaths, queryPaths } from './operations.ts';
import type { Stamper } from './stamper.ts';
import { type SendOptions, send } from './transport.ts';
import type { Client, SubmitOptions } from './types.ts';

export interface ClientOptions<Dialect extends DialectName = 'spec'> {
  /** The address of the service, for example `http://127.0.0.1:8787`. */
  readonly baseUrl: string;
  /** Default organization of every call. */
  readonly organizationId: string;
  readonly stamper: Stamper;
  /** Defaults to the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Whether to retry calls by default, see SendOptions. */
  readonly retry?: boolean;
  /** `spec` (the specification) by default. `turnkey` also supports what the specification lacks, such as typed data. */
  readonly dialect?: Dialect;
}

/** A client with one typed method per operation. It has no connection and no state, so clients are cheap. */
export function createClient<Dialect extends DialectName = 'spec'>(options: ClientOptions<Dialect>): Client<Dialect> {
  const { baseUrl, organizationId, stamper, fetch: fetcher = fetch, retry = false, dialect = 'spec' } = options;
  const base = baseUrl.replace(/\/+$/, '');
  const request = (path: string, body: string | object, sendOptions?: SendOptions): Promise<unknown> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return send(fetcher, base + path, text, stamper, { retry, ...sendOptions });
  };
  const make = async <Answer>({ path, body, read }: Call<Answer>, sendOptions?: SendOptions): Promise<Answer> =>
    read(await request(path, body, sendOptions));

  const submit =
    (activity: { readonly path: string; readonly type: string }) =>
    (parameters: unknown, own: SubmitOptions = {}) =>
      make(submitCall(activity, parameters, { organizationId, dialect, ...own }), own);
  const ask =
    (query: { readonly path: string }) =>
    (input: object = {}, own?: SendOptions) =>
      make(queryCall(query, input, { organizationId, dialect }), own);

  return Object.freeze({
    organizationId,
    request,
    ...methods(activityPaths, submit),
    ...methods(queryPaths, ask),
  }) as Client<Dialect>;
}

/** The names of all methods of a client that call an operation. */
export const operationNames: readonly string[] = [...Object.keys(activityPaths), ...Object.keys(queryPaths)];

/** The activity type that a method of a client submits. */
export const activityTypeOf = (method: keyof typeof activityPaths): string => activityPaths[method].type;

function methods<Operation>(table: Readonly<Record<string, Operation>>, method: (operation: Operation) => unknown) {
  return Object.fromEntries(Object.entries(table).map(([name, operation]) => [name, method(operation)]));
}
