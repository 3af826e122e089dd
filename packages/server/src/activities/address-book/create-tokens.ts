import { canonicalToken, conflictWithShipped, tokenNames } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { symbolKeys, takenIn, tokensByAsset, tokensBySymbol } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded } from '../../wire/refuse.ts';

export const createTokens = execute(activities.createTokens, {
  locksOrganization: true,

  contextChange: ({ nowMs }, { tokens }) => ({
    tokens: new Map(
      tokens.map(({ asset, symbol, decimals }) => [
        `new:${asset}`,
        { asset: canonicalToken(asset) ?? asset, symbol, decimals, createdAtMs: nowMs, updatedAtMs: nowMs },
      ]),
    ),
  }),

  async plan({ organization, limits, nowMs }, params) {
    const known = organization.records.token;
    if (known.size + params.tokens.length > limits.maxTokens) throw limitExceeded('tokens', limits.maxTokens, 'maxTokens');
    const assets = takenIn(tokensByAsset(known));
    const symbols = takenIn(tokensBySymbol(known));
    const prepared = params.tokens.map(({ asset: given, symbol, decimals }, index) => {
      const field = `tokens.${index}.asset`;
      const asset = canonicalToken(given);
      if (asset === undefined) {
        throw invalidField(field, `must be the CAIP-19 name of a token: ${tokenNames}`);
      }
      requireOwn(asset, symbol, `tokens.${index}`);
      if (assets.has(asset)) throw invalidField(field, 'is already a token of this organization; delete that one first');
      const keys = symbolKeys(asset, symbol);
      if (keys.some((key) => symbols.has(key)))
        throw invalidField(
          `tokens.${index}.symbol`,
          'is taken on this network: another token of the organization has it, or one that looks like it',
        );
      for (const key of keys) symbols.add(key);
      assets.add(asset);
      return { asset, symbol, decimals, createdAtMs: nowMs, updatedAtMs: nowMs };
    });
    const parameters = () => ({ tokens: prepared.map(({ asset, symbol, decimals }) => ({ asset, symbol, decimals })) });
    return { intent: params, subject: { parameters }, prepared };
  },

  async run({ newId }, { prepared }) {
    const changes = prepared.map((body) => ({ op: 'putRecord' as const, kind: 'token' as const, id: newId(), body }));
    return { result: { tokenIds: changes.map(({ id }) => id) }, changes };
  },
});

/** D455, D456: rejects a token that the service ships, and a symbol that people would take for that of a shipped token or coin. */
function requireOwn(asset: string, symbol: string, field: string): void {
  const conflict = conflictWithShipped(asset, symbol);
  if (conflict === undefined) return;
  throw conflict.kind === 'ASSET'
    ? invalidField(`${field}.asset`, `is ${conflict.symbol}, a token that the service lists. It cannot be defined again`)
    : invalidField(
        `${field}.symbol`,
        `is taken on this network: ${conflict.symbol} is a token or coin that the service lists. Choose a symbol that looks different`,
      );
}
