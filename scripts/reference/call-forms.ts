import { dialects, operationPath } from '@countersign/contract';
import { type Definition, operationCall } from 'countersign';
import type { Example } from '../examples/recorder.ts';
import { block } from './markdown.ts';

/** Methods of the published client by the operation that they call, if they work: `submit/create_wallet` → `createWallet`. */
export type PublishedMethods = ReadonlyMap<string, string>;

/** Reads the page that test/interop writes from what it observes. */
export function readPublishedMethods(interopPage: string): PublishedMethods {
  const rows = interopPage.matchAll(/^\| `(\w+)` \| `((?:query|submit)\/\w+)` \| works \|/gm);
  return new Map([...rows].map(([, method = '', operation = '']) => [operation, method]));
}

/** One recorded call in the forms in which people make it. */
export function callForms(definition: Definition, { request }: Example, methods: PublishedMethods, help: string): string[] {
  const path = operationPath(dialects.spec, definition);
  const { organizationId: _, timestampMs: __, ...fields } = request;
  const values = definition.kind === 'activity' ? request.parameters : fields;
  const { argv, stdin } = operationCall(definition, values);
  const method = methods.get(path.replace(/^.*\/public\/v1\//, ''));
  const forms = [
    '## Call it',
    '### curl',
    block(
      'sh',
      `curl "$COUNTERSIGN_URL${path}" \\\n  --header "X-Stamp: $STAMP" \\\n  --data-binary @- <<'JSON'\n${JSON.stringify(request, null, 2)}\nJSON`,
    ),
    '### Command line',
    block('sh', stdin === undefined ? argv : `${argv} <<'JSON'\n${stdin}\nJSON`),
    `<details>\n<summary>All flags</summary>\n\n${block('text', help)}\n\n</details>`,
    '### TypeScript',
    block('ts', `${answerOf(definition)} = await client.${definition.name}(${literal(values)});`),
  ];
  if (method === undefined) return forms;
  const body =
    definition.kind === 'activity' ? { ...request, timestampMs: NOW } : { organizationId: request.organizationId, ...fields };
  return [
    ...forms,
    '### @turnkey/http',
    block(
      'ts',
      `// baseUrl: 'http://127.0.0.1:8787${dialects.turnkey.basePath}'\nconst response = await turnkey.${method}(${literal(body)});`,
    ),
  ];
}

const answerOf = ({ kind }: Definition) => (kind === 'activity' ? 'const { activity, result }' : 'const answer');

/** Stands for the time of the call in code that people copy. */
const NOW = Symbol('now');

/** A value as people write it in TypeScript. */
function literal(value: unknown, indent = ''): string {
  if (value === NOW) return 'String(Date.now())';
  if (typeof value === 'string' && value.includes("'")) return JSON.stringify(value);
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)}: ${literal(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const line = Array.isArray(value) ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (line.length + indent.length <= 90 && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close}`;
}
