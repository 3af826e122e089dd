export { JsonError, type JsonUnit } from './json-error.ts';
export { defaultJsonLimits, type JsonLimits } from './limits.ts';
export { readExactJson, readStrictJson, readWideJson } from './read.ts';
export type { ExactJsonObject, ExactJsonValue, JsonObject, JsonValue, WideJsonObject, WideJsonValue } from './value.ts';
