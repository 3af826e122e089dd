import { ServiceError } from '@countersign/contract';
import { type NamedTag, renderDiagnostic, tagCalls, tagProblem } from '@countersign/policy';
import type { Snapshot } from './snapshot/snapshot.ts';

type Expressions = Readonly<Record<string, string | undefined>>;

/**
 * Throws if an expression names a tag other than by its id. The error contains the id to write. `fields` are the new expressions by their
 * paths in the parameters.
 * SECURITY: D398: names are resolved before the request is stamped, so that the submitter, the approvers and the stored policy mean the same
 * tag. If the service resolved them, a tag that is renamed while the request is pending would change what was approved.
 */
export function requireTagIds({ records: { userTag, privateKeyTag } }: Snapshot, fields: Expressions): void {
  const violations = Object.entries(fields).flatMap(([field, text = '']) =>
    tagCalls(text)
      .filter(({ value }) => !userTag.has(value) && !privateKeyTag.has(value))
      .slice(0, 5)
      .map(({ value, span }) => {
        const { message, help } = problemOf(value, userTag, privateKeyTag);
        const description = renderDiagnostic(text, { code: 'UNKNOWN_LITERAL', span, message, help });
        return { field, description, message: `${message} (${help})` };
      }),
  );
  const [first] = violations;
  if (first === undefined) return;
  throw new ServiceError('POLICY_INVALID', `invalid policy: ${first.message}`, {
    violations: violations.map(({ field, description }) => ({ field, description })),
  });
}

type Tags = Snapshot['records']['userTag'];

function problemOf(name: string, userTag: Tags, privateKeyTag: Tags): { readonly message: string; readonly help: string } {
  const tags = [...namedTags(userTag, 'user tag'), ...namedTags(privateKeyTag, 'private key tag')];
  const same = tags.filter((tag) => tag.name === name);
  const [only] = same;
  if (only === undefined || same.length > 1) return tagProblem(name, same, tags);
  return { message: `\`${name}\` is the name of a tag, and a request contains its id`, help: `write tag('${only.id}')` };
}

function namedTags(tags: Tags, kind: NamedTag['kind']): readonly NamedTag[] {
  return [...tags].map(([id, { tagName }]) => ({ id, name: tagName, kind }));
}
