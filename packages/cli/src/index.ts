export type { Context, Output } from './context.ts';
export { kebabCase } from './naming.ts';
export type { Definition } from './operation.ts';
export { operationCall } from './operation-example.ts';
export { createProgram } from './program.ts';
export { run } from './run.ts';
export { subjectTitles } from './subjects.ts';
export { version } from './version.ts';
