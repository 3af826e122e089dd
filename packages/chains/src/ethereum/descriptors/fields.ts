import type { ExactJsonObject, ExactJsonValue } from '@countersign/strict-json';
import { invalidInterface } from '../../shared/refusal.ts';

/** One labelled field of an ERC-7730 format. */
export interface FieldFormat {
  readonly path: string;
  readonly label: string;
  /** The name of a format of ERC-7730. One that is not known here is shown raw. */
  readonly format: string;
  readonly params: ExactJsonObject;
  /** Names for numbers, where the format is `enum`. */
  readonly names?: ExactJsonObject;
}

const maxFields = 100;
const maxDepth = 6;

/** Reads the fields of a format; groups are flattened. Throws ChainError INVALID_INTERFACE. */
export function readFields(json: ExactJsonValue, root: ExactJsonObject, prefix = '', depth = 0): readonly FieldFormat[] {
  if (!Array.isArray(json) || json.length > maxFields) throw invalidInterface(`fields must be a list of at most ${maxFields}`);
  if (depth > maxDepth) throw invalidInterface(`fields are nested more than ${maxDepth} deep`);
  return (json as readonly ExactJsonValue[]).flatMap((entry) => {
    if (!(entry instanceof Map)) throw invalidInterface('a field of a descriptor must be an object');
    const defined = referred(entry.get('$ref'), root);
    const get = (name: string) => entry.get(name) ?? defined?.get(name);
    const path = get('path');
    // A field with a constant value shows nothing of what is signed.
    if (path === undefined && get('value') !== undefined) return [];
    if (typeof path !== 'string' || path.length > 400) throw invalidInterface('a field of a descriptor has no path');
    const whole = joined(prefix, path);
    const group = entry.get('fields');
    if (group !== undefined) return readFields(group, root, whole, depth + 1);
    const label = get('label');
    const format = get('format');
    const params = get('params');
    if (label !== undefined && typeof label !== 'string') throw invalidInterface('the label of a field is not text');
    const names = params instanceof Map ? referred(params.get('$ref'), root) : undefined;
    return [
      {
        path: whole,
        label: typeof label === 'string' ? label : whole,
        format: typeof format === 'string' ? format : 'raw',
        params: params instanceof Map ? params : new Map(),
        ...(names !== undefined && { names }),
      },
    ];
  });
}

/** A path from the root begins with `#`, `@` or `$`; others continue the path of their group. */
function joined(prefix: string, path: string): string {
  return prefix === '' || /^[#@$]/.test(path) ? path : `${prefix}.${path}`;
}

/** What `$.metadata.enums.rates` and the like refer to, within the descriptor. */
function referred(reference: ExactJsonValue | undefined, root: ExactJsonObject): ExactJsonObject | undefined {
  if (reference === undefined) return undefined;
  if (typeof reference !== 'string' || !reference.startsWith('$.')) throw invalidInterface('a $ref does not begin with $.');
  let found: ExactJsonValue | undefined = root;
  for (const step of reference.slice(2).split('.')) found = found instanceof Map ? found.get(step) : undefined;
  if (!(found instanceof Map)) throw invalidInterface(`the descriptor has nothing at ${reference.slice(0, 80)}`);
  return found;
}
