import { writeFileSync } from 'node:fs';
import { corpusModule, signaturesFile } from './hostile/corpus-module.ts';

// Writes the hostile requests of conformance/policies, and the module that contains them.
writeFileSync(new URL('../conformance/policies/hostile-signatures.json', import.meta.url), signaturesFile());
writeFileSync(new URL('../packages/judgement/src/worst-case/corpus.ts', import.meta.url), corpusModule());
