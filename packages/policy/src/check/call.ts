import { functions } from '../builtins/functions.ts';
import type { Expression } from '../syntax/ast.ts';
import type { PolicyField } from '../value.ts';
import type { CheckContext } from './context.ts';
import { cut } from './help.ts';
import { didYouMean } from './suggest.ts';
import type { Typed } from './typed.ts';

/** Checks the call of a function in one field of a policy. `check` checks an argument. */
export function checkCall(
  { name, nameSpan, args, span }: Expression & { kind: 'call' },
  field: PolicyField,
  check: (argument: Expression) => Typed,
  context: CheckContext,
): Typed | undefined {
  const { report } = context;
  const found = functions.get(name);
  if (found === undefined)
    return report('UNKNOWN_FUNCTION', nameSpan, `there is no function \`${cut(name)}\``, didYouMean(name, [...functions.keys()]));
  if (!found.fields.includes(field)) {
    const message = `\`${name}\` is not available in the ${field} of a policy`;
    return report('WRONG_FIELD', nameSpan, message, `it belongs in the ${found.fields.join(' or the ')}`);
  }
  if (found.since > 1) context.noteAddition({ what: `\`${name}\``, span: nameSpan });
  const [first] = args;
  if (found.takes === 'path') {
    if (first === undefined || args.length !== 1)
      return report('WRONG_ARGUMENTS', span, `\`${name}\` takes one path`, `write ${found.signature}`);
    const path = check(first);
    return path.type.kind === 'unknown' ? undefined : found.check(path, span, context);
  }
  const texts = args.filter((arg): arg is Expression & { kind: 'string' } => arg.kind === 'string');
  if (texts.length !== args.length || args.length !== found.parameters)
    return report('WRONG_ARGUMENTS', span, 'the arguments must be string literals', `write ${found.signature}`);
  return found.check(texts, span, context);
}
