import { queryCall, submitCall } from '@countersign/client';
import type { Command } from 'commander';
import { readableActivity, signatureFields } from '../activity-words.ts';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { namesTargets, resolveTargets, withTargets } from '../freeze-targets.ts';
import { fillLazily } from '../lazy-command.ts';
import { kebabCase } from '../naming.ts';
import { containsPolicies, type OperationEntry, UNKNOWN_ORGANIZATION } from '../operation-entry.ts';
import { addFieldFlag, type FieldFlag, parseField } from '../operation-flags.ts';
import { addOutputFlags, checkQuery, type OutputFlags, writeResult } from '../output/output.ts';
import { checkParameters, readParameters, withIds } from '../parameters.ts';
import type { Activity } from '../pending-activities.ts';
import { renderAnswer, renderSubmitted, submittedFields } from '../render-response.ts';
import { SilentError } from '../silent-error.ts';
import { subjectTitles } from '../subjects.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

type OperationFlags = ConnectionFlags & OutputFlags & { readonly reference?: string };

/** The command of one operation. Its flags, validation, help and example come from the contract. */
export function addOperation(program: Command, entry: OperationEntry, context: Context): void {
  const { name, subject, summary } = entry;
  const command = program.command(kebabCase(name)).helpGroup(`${subjectTitles[subject]}:`).summary(summary);
  let fields: readonly FieldFlag[] = [];
  let first: FieldFlag | undefined;
  fillLazily(command, () => {
    fields = entry.fields;
    if (namesTargets(name)) {
      command.argument(
        '[targets...]',
        'users, wallets and private keys: names, ids or id prefixes; or the id of the organization',
      );
      return describeOperation(command, entry);
    }
    first = fields.find(({ required, kind, repeatable }) => required && kind === 'text' && !repeatable);
    const named = first;
    if (named !== undefined) {
      command.argument(`[${kebabCase(named.field)}]`, `instead of ${named.flag}`, (text) => parseField(named, text));
    }
    describeOperation(command, entry);
  });
  command.action(async (...args: unknown[]) => {
    const options = args.at(-2) as OperationFlags & Record<string, unknown>;
    // An operation without a required text field has no argument.
    const flags = first === undefined || args[0] === undefined ? options : { [first.attribute]: args[0], ...options };
    const given = await readParameters(context, fields, flags);
    const inOrganization = (organizationId: string) => (entry.namesOrganization ? { organizationId, ...given } : given);
    if (Object.keys(given).length > 0 || !entry.needsNothing)
      await checkWithSchema(command.name(), entry, inOrganization(UNKNOWN_ORGANIZATION));
    await checkQuery(flags);
    const client = connect(context, flags);
    const showId = (given: string, reference: string, { id }: { readonly id: string }) => {
      if (context.stderr.isTerminal)
        context.stderr.write(paintFor(context, context.stderr)('dim', `${given} ${printable(reference)} is ${id}\n`));
    };
    const references = namesTargets(name) ? (args[0] as string[]) : [];
    const targets = references.length === 0 ? [] : await resolveTargets(client, name, references);
    for (const [index, target] of targets.entries()) showId(target.noun, references[index] ?? '', target);
    const withTargetIds = withTargets(await withIds(client, inOrganization(client.organizationId), fields, showId), targets);
    const values = containsPolicies(entry) ? await withIdsOfTags(context, client, withTargetIds) : withTargetIds;
    const show = async (response: unknown, result: object, readable: () => string) =>
      flags.json ? context.stdout.write(`${jsonText(response)}\n`) : writeResult(context, flags, result, readable);

    if (entry.kind === 'query') {
      const { path, body, read } = queryCall(entry, values, client);
      const response = await client.request(path, body);
      const answer = read(response);
      const isActivity = name === 'getActivity';
      return show(response, answer, () =>
        renderAnswer(context, isActivity ? { activity: readableActivity(answer.activity as Activity) } : answer),
      );
    }
    const { path, body, read } = submitCall(entry, values, {
      organizationId: client.organizationId,
      ...(flags.reference !== undefined && { reference: flags.reference }),
    });
    const response = await client.request(path, body);
    const submitted = read(response);
    const { id, status } = submitted.activity;
    // The activity contains a description of what was signed.
    const signed =
      name === 'signTransaction' && !flags.json ? (await client.getActivity({ activityId: id })).activity : undefined;
    const described = { description: signed?.parsed?.description, ...(signed && signatureFields(signed)) };
    const shown = submittedFields(submitted, described);
    await show(response, shown, () => renderSubmitted(context, submitted, described));
    const rejected = status === 'ACTIVITY_STATUS_REJECTED' && subject !== 'consensus';
    if (rejected || status === 'ACTIVITY_STATUS_FAILED') throw new SilentError();
  });
}

/** Validates parameters like the service does. Loaded on use, because it makes the schemas of all operations. */
async function checkWithSchema(
  command: string,
  { name, fields }: OperationEntry,
  values: Record<string, unknown>,
): Promise<void> {
  const [{ findOperation }, { schemaOf }] = await Promise.all([import('../find-operation.ts'), import('../operation.ts')]);
  const definition = findOperation(name);
  if (definition !== undefined) checkParameters(command, schemaOf(definition), values, fields);
}

/** The parameters with ids of tags in their policies. Loaded on use, because it loads the policy language. */
async function withIdsOfTags<T>(context: Context, client: ReturnType<typeof connect>, values: T): Promise<T> {
  const { shownOn, withTagIds } = await import('../policy/tag-names.ts');
  return withTagIds(client, values, shownOn(context));
}

function describeOperation(command: Command, { kind, subject, summary, requestPath, fields, example }: OperationEntry): void {
  command.description(`${summary}.\nPOST ${requestPath}`).optionsGroup('Parameters:');
  for (const field of fields) addFieldFlag(command, field);
  command.option('--params <json>', 'all parameters as one JSON object, also @file, or - for standard input; flags override it');
  // A vote is about the request that it names, and has no reference.
  if (kind === 'activity' && subject !== 'consensus')
    command.option(
      '--reference <text>',
      'your own words about the request, such as an invoice number: stamped, shown to approvers, and never a secret',
    );
  addConnectionFlags(command);
  addOutputFlags(command);
  command.addHelpText('after', example);
}
