export type { Context, Output } from './context.ts';
export { createProgram, version } from './program.ts';
export { run } from './run.ts';
export { subjectTitles } from './subjects.ts';
