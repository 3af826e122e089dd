export type { Addon, CheckAll, VerifyMessage } from './addon.ts';
export { type LoadedAddon, loadAddon, NATIVE_VARIABLE } from './load.ts';
export { OftenUsed, OftenUsedKey, type TableRules } from './often-used.ts';
