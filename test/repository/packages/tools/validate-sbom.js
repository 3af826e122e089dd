// Usage: node validate-sbom.js FILE: validates a CycloneDX document in JSON against the schema of its version. Prints each fault.
import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';

const text = readFileSync(process.argv[2], 'utf8');
const { specVersion } = JSON.parse(text);
if (!Object.values(Spec.Version).includes(specVersion)) throw new Error(`CycloneDX ${specVersion} is not known`);
const fault = await new Validation.JsonStrictValidator(specVersion).validate(text);
if (fault !== null) {
  console.error(JSON.stringify(fault, undefined, 2));
  process.exitCode = 1;
}
