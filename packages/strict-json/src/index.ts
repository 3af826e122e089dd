export { JsonError, type JsonUnit } from './json-error.ts';
export { defaultJsonLimits, type JsonLimits } from './limits.ts';
export { readExactJson, readStrictJson } from './read.ts';
export type { ExactJsonObject, ExactJsonValue, JsonObject, JsonValue } from './value.ts';
