import { readFile } from 'node:fs/promises';
import { configFileSchema } from '@countersign/server';
import { readPublishedMethods } from './call-forms.ts';
import { cliPage } from './cli.ts';
import { errorsPage } from './errors.ts';
import { examplesText } from './examples.ts';
import { page } from './markdown.ts';
import { metricsPage } from './metrics.ts';
import { activitiesPage, operationPages, queriesPage } from './operations.ts';
import { policyPage } from './policy.ts';
import { policyParametersPage } from './policy-parameters.ts';
import { settingsPage } from './settings.ts';
import { shapesPage } from './shapes.ts';
import { threatsPage } from './threats.ts';
import { transactionsPage } from './transactions.ts';
import { worstCasesPage } from './worst-cases.ts';

/** The suite in test/interop writes this page from what it observes. */
const observed = new URL('../../docs/reference/interop.md', import.meta.url);
/** Written by hand, because the code has no table of this format. */
const auditFile = new URL('../../docs/reference/audit-file.md', import.meta.url);

/** Every page of the reference by file name. The same sources always give the same bytes. */
export async function renderReference(): Promise<ReadonlyMap<string, string>> {
  const recorded = await examplesText();
  const examples = JSON.parse(recorded);
  const interop = await readFile(observed, 'utf8');
  return new Map([
    ['README.md', indexPage()],
    ['activities.md', activitiesPage()],
    ['queries.md', queriesPage()],
    ...(await operationPages(examples, readPublishedMethods(interop))),
    ['policy.md', policyPage()],
    ['policy-parameters.md', policyParametersPage()],
    ['shapes.md', shapesPage()],
    ['errors.md', errorsPage()],
    ['settings.md', settingsPage()],
    ['metrics.md', metricsPage()],
    ['countersign.schema.json', `${JSON.stringify(configFileSchema(), undefined, 2)}\n`],
    ['cli.md', await cliPage()],
    ['threats.md', await threatsPage()],
    ['transactions.md', await transactionsPage()],
    ['worst-cases.md', worstCasesPage()],
    ['examples.json', recorded],
    ['audit-file.md', await readFile(auditFile, 'utf8')],
    ['interop.md', interop],
  ]);
}

function indexPage(): string {
  return page('Reference', 'the tables of the code', [
    [
      '- [Activities](activities.md): everything that changes or signs',
      '- [Queries](queries.md): everything that reads',
      '- [Examples](examples.json): a request and a response of every operation, from a real run',
      '- [Policy language](policy.md): namespaces, operators, units, methods, limits, errors and warnings, with examples',
      '- [Parameters in policies](policy-parameters.md): the parameters of every activity, as policies see them',
      '- [Transactions](transactions.md): the descriptions and effects of sixty transactions',
      '- [Worst cases](worst-cases.md): hostile requests, and which of them the policies of the guides allow',
      '- [Shapes](shapes.md): objects and enumerations that operations share',
      '- [Errors](errors.md): every error code',
      '- [Metrics](metrics.md): what `/metrics` reports',
      '- [Settings](settings.md): flags, environment variables and keys of `countersign.yaml`, and [its schema](countersign.schema.json)',
      '- [Command line](cli.md): every command with its help',
      '- [Audit files](audit-file.md): the format of `countersign audit export`, and what is verified',
      '- [Coverage of threats](threats.md): the tests of every threat in [Threats](../threats.md)',
      '- [Methods of existing clients](interop.md): the result of each method of a published client',
    ].join('\n'),
    'A running service has the same interface as an OpenAPI 3.1 document at `/openapi.json`.',
  ]);
}
