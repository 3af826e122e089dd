import type { Asset, Effect } from '../../effects/effect.ts';
import { isUnlimited } from '../../effects/unlimited.ts';
import { present } from '../../shared/present.ts';
import { tokenOf, UNKNOWN_TOKEN } from '../assets.ts';
import { movesToken } from './effects.ts';
import type { Call, Reading } from './instruction-spec.ts';

/** The Token-2022 program. */
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

const decimalsOf = (call: Call) => call.args.get('decimals') as bigint | undefined;

/** The token of an instruction that names its mint, and of one that does not. */
export function assetOf(call: Call, { tokens }: Reading, role = 'mint'): Asset {
  const mint = call.accounts.get(role);
  return mint === undefined ? UNKNOWN_TOKEN : tokenOf(mint, decimalsOf(call), tokens);
}

/** A movement between two token accounts, with the fee that the instruction names. */
export function transfersToken(call: Call, reading: Reading): Effect[] {
  const moved = movesToken(assetOf(call, reading), call.account('source'), call.account('destination'), call.amount('amount'));
  return [call.args.has('fee') ? ({ ...moved, fee: call.amount('fee') } as Effect) : moved];
}

/** The delegate may move tokens out of the account. The greatest amount means an unlimited allowance. */
export function approves(call: Call, reading: Reading): Effect[] {
  const amount = call.amount('amount');
  const asset = assetOf(call, reading);
  const roles = present({ from: call.account('source'), to: call.account('delegate') });
  return [{ kind: 'ALLOWANCE', asset, amount, unlimited: isUnlimited(amount, 64), ...roles }];
}

/** A token account has one delegate, so revoking leaves none. */
export function revokes(call: Call): Effect[] {
  return [
    { kind: 'ALLOWANCE', asset: UNKNOWN_TOKEN, amount: 0n, unlimited: false, ...present({ from: call.account('source') }) },
  ];
}

/** Why an instruction that moves tokens, or the right to move them, does not tell everything. */
export function unparsedToken(call: Call, { tokens }: Reading): string | undefined {
  if (call.spec.accounts?.includes('mint') !== true) return `the ${call.spec.name} instruction does not name its token`;
  const mint = call.account('mint');
  const decimals = decimalsOf(call);
  if (mint === undefined || decimals === undefined) return undefined;
  const { decimals: listed } = tokenOf(mint, decimals, tokens);
  return listed === Number(decimals) ? undefined : `the token list gives mint ${mint} other decimals than the instruction`;
}

/**
 * Why a transfer does not tell everything.
 *
 * A mint of Token-2022 may have a transfer fee. The source then still loses exactly the amount, and the destination gets less,
 * so such a transfer counts as understood. The mint may also have a transfer hook: a program that runs with every transfer. The
 * instruction must bring that program among its extra accounts, or it fails. So without extra accounts no hook runs.
 * SECURITY: an extra account that signs may be a member of a multisig, or the program of a hook whose key its author kept. The
 * bytes do not tell them apart, so it counts as not understood as well.
 */
export function unparsedTransfer(call: Call, reading: Reading): string | undefined {
  const reason = unparsedToken(call, reading);
  if (reason !== undefined || call.programKey !== TOKEN_2022 || call.extraAccounts.length === 0) return reason;
  return `the transfer has ${call.extraAccounts.length} extra accounts, which may run a transfer hook`;
}
