import { activities } from './activities/index.ts';
import type { ActivityDefinition, OperationDefinition, QueryDefinition } from './define.ts';
import { basePaths, operationPath } from './dialects.ts';
import { exampleOf } from './example.ts';
import { type DescribedDialect, describeDialects } from './openapi/dialects.ts';
import { errorReferences, errorResponses, errorSchemas } from './openapi/errors.ts';
import { closed, content, type Json, reference } from './openapi/json.ts';
import { type At, componentSchemas } from './openapi/schemas.ts';
import { queries } from './queries/index.ts';
import { MAX_REFERENCE } from './reference-text.ts';
import { organizationId } from './shapes/primitives.ts';
import { requestReference } from './shapes/reference.ts';

/** The parts of an OpenAPI 3.1 document that this code reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: readonly Json[];
  readonly security: readonly Json[];
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, { readonly post: Json }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
    readonly securitySchemes: Json;
  };
}

/**
 * The OpenAPI document of all dialects, derived from the tables of operations and errors.
 * `serverUrl` is the address of the service. Without it, paths are relative to the address of the document.
 * `compatibleAtRoot` says which dialect has the root, see `basePaths`.
 */
export function openApiDocument({
  serverUrl = '/',
  version,
  compatibleAtRoot = false,
}: {
  serverUrl?: string;
  version: string;
  compatibleAtRoot?: boolean;
}): OpenApiDocument {
  const describedDialects = describeDialects(basePaths(compatibleAtRoot));
  const { schemas, at } = componentSchemas();
  const operations: OperationDefinition[] = [...Object.values(activities), ...Object.values(queries)];
  const paths = operations.flatMap((operation) =>
    describedDialects.map((dialect): [string, { post: Json }] => [
      operationPath(dialect, operation),
      {
        post: {
          operationId: dialect.operationId(operation.name),
          summary: operation.summary,
          tags: [operation.subject],
          ...(operation.kind === 'activity' ? submit(operation, dialect, at) : query(operation, dialect, at)),
        },
      },
    ]),
  );
  return {
    openapi: '3.1.1',
    info: {
      title: 'Countersign',
      version,
      description:
        'Keys, policies and signatures. Every request is a POST with a JSON body. The stamp signs the exact bytes of the body. Unknown fields are rejected. An explicit null counts as absent.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: stamps,
    tags: [...new Set(operations.map((operation) => operation.subject))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: { schemas: { ...schemas, ...errorSchemas() }, responses: errorResponses(), securitySchemes },
  };
}

/** The ways to authenticate any request. */
const stamps: readonly Json[] = [{ apiKeyStamp: [] }, { passkeyStamp: [] }];

const timestampMs = {
  type: 'string',
  pattern: '^\\d+$',
  description: 'Milliseconds since the Unix epoch. At most one hour old and at most five minutes ahead',
};

const ignored: Json = { type: 'boolean', description: 'Accepted and ignored' };

const requestWords: Json = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_REFERENCE,
  description: requestReference.description,
};

function submit(activity: ActivityDefinition, dialect: DescribedDialect, at: At): Json {
  const { ignoredSubmitKeys } = dialect;
  const bodies = dialect.acceptedVersions(activity).map((version) =>
    closed(
      {
        type: { const: version.type },
        timestampMs,
        organizationId: reference('OrganizationId'),
        parameters: at(dialect.paramsOf(version).schema),
        // A vote has none: it is about the request that it names.
        ...(activity.vote === undefined && { reference: requestWords }),
        ...Object.fromEntries(ignoredSubmitKeys.map((key) => [key, ignored])),
      },
      ['reference', ...ignoredSubmitKeys],
    ),
  );
  const [only, ...others] = bodies;
  const example = {
    type: activity.type,
    timestampMs: '1767225600000',
    organizationId: exampleOf(organizationId),
    parameters: exampleOf(activity.params),
  };
  return {
    requestBody: {
      required: true,
      content: content(only !== undefined && others.length === 0 ? only : { oneOf: bodies }, example),
    },
    responses: {
      200: { description: 'The activity, complete or pending', content: content(dialect.submitted(activity, at)) },
      ...errorReferences(dialect.errors),
    },
  };
}

function query(definition: QueryDefinition, dialect: DescribedDialect, at: At): Json {
  return {
    security: [...stamps, { readOnlySession: [] }],
    requestBody: { required: true, content: content(dated(at(definition.input), definition.path), exampleOf(definition.input)) },
    responses: {
      200: { description: 'The data', content: content(dialect.answered(definition, at)) },
      ...errorReferences(dialect.errors),
    },
  };
}

/** The body of a query with the time of the request and the name of the operation, which any query takes. */
function dated(input: Json, path: string): Json {
  const description = `${timestampMs.description}. Some organizations require it: without it, a stamp can be replayed`;
  const operation = {
    const: path,
    description: 'The name of the query. Some organizations require it: without it, a stamp can be used for another query',
  };
  return { ...input, properties: { ...(input.properties as Json), timestampMs: { ...timestampMs, description }, operation } };
}

const securitySchemes: Json = {
  apiKeyStamp: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Stamp',
    description: 'Unpadded base64url of {"publicKey","scheme","signature"}. An API key signs the exact bytes of the body.',
  },
  passkeyStamp: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Stamp-Webauthn',
    description:
      'JSON of {"authenticatorData","clientDataJson","credentialId","signature"}. The challenge of the passkey is the lower-case hexadecimal SHA-256 hash of the exact bytes of the body.',
  },
  readOnlySession: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Session',
    description: 'The token from create_read_only_session, instead of a stamp. It only works for queries.',
  },
};
