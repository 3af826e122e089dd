import { conjunctsOf, type EachNode, someNode, type Typed } from '../check/typed.ts';
import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import { chainSchemas, chains, isPathOf } from '../schema/chains.ts';
import { isPayment, payments } from '../schema/payments.ts';
import { assetsAllowed, assetsIn, demandsPayment, isListOf, isPartOfEffects, kindsAllowed } from './effect-bounds.ts';
import { factsOf } from './facts.ts';
import { allNodes, fieldOf, pathsRead } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

const PAYMENT_VIEW = '`tx.is_payment && tx.payments.all(p, …)`';

/** Warns if a policy on payments covers more, or less, than it seems to. */
export function paymentHoles(policy: CompiledPolicy): readonly PolicyWarning[] {
  const { condition, effect, id: policyId } = policy;
  if (condition === undefined) return [];
  const checks = effect === 'EFFECT_ALLOW' ? [openEffects, openTokens, openTotals, byHand, symbols] : [deniedPayments, symbols];
  return checks.flatMap((check) => check(condition).map((found) => ({ policyId, field: 'condition', ...found }) as const));
}

type Found = Omit<PolicyWarning, 'policyId' | 'field'>;

/** A rule for the transfers among the effects says nothing about the other effects. */
function openEffects({ typed }: CompiledExpression): readonly Found[] {
  const rule = allNodes(typed).find(
    (node) => ((node.kind === 'each' && node.quantifier === 'every') || node.kind === 'sumOf') && isPartOfEffects(node.list),
  );
  const allowed = kindsAllowed(typed);
  if (rule === undefined || !['ALLOWANCE', 'AUTHORITY', 'UNKNOWN'].some((kind) => allowed.has(kind))) return [];
  return [
    {
      code: 'EFFECTS_NOT_LIMITED',
      span: rule.span,
      message: 'it looks at a part of the effects, and is true whatever the others are',
      help: `ask for payments with ${PAYMENT_VIEW}, or add \`effects.all(e, e.kind in ['TRANSFER', 'FEE'])\``,
      example: { 'effects[0].kind': 'ALLOWANCE', 'effects[0].unlimited': 'true', 'effects[0].to': 'a stranger' },
    },
  ];
}

/** Paths that limit the coin. None of them counts a token. */
const coinLimits: ReadonlySet<string> = new Set(['tx.max_cost', 'eth.tx.max_cost', 'eth.tx.value', 'solana.tx.transfers']);
/** Paths and fields that determine which tokens move. */
const tokenLimits: ReadonlySet<string> = new Set([
  ...['Payment.asset', 'Effect.asset', 'Effect.asset_kind', 'Effect.symbol'],
  ...['eth.tx.data', 'eth.tx.contract_call_args', 'eth.tx.is_deployment', 'solana.tx.spl_transfers', 'tron.tx.contract'],
]);

/** A limit on the coin does not count tokens. */
function openTokens({ typed }: CompiledExpression): readonly Found[] {
  const nodes = allNodes(typed);
  const names = [...pathsRead(nodes), ...nodes.flatMap((node) => fieldOf(node) ?? [])];
  const limit = names.find((name) => coinLimits.has(name));
  const hasNoTokens = names.some((name) => tokenLimits.has(name) || name.startsWith('bitcoin.tx'));
  if (limit === undefined || hasNoTokens || !kindsAllowed(typed).has('TRANSFER')) return [];
  return [
    {
      code: 'TOKENS_NOT_LIMITED',
      message: `\`${limit}\` counts the coin only: any amount of any token can leave as well`,
      help: 'name the asset: `tx.is_payment && tx.payments.all(p, p.asset == ETH)`',
      example: { 'effects[0].asset': 'a token', 'effects[0].amount': '1000000000000' },
    },
  ];
}

/** A total does not count other assets. */
function openTotals({ typed }: CompiledExpression): readonly Found[] {
  const totals = allNodes(typed).flatMap((node): readonly EachNode[] =>
    node.kind === 'sumOf' && node.list.kind === 'each' && isListOf(node.list.list, payments) ? [node.list] : [],
  );
  const [first] = totals;
  if (first === undefined) return [];
  const allowed = assetsAllowed(typed);
  const counted = new Set(totals.flatMap((total) => [...(assetsIn(total) ?? [])]));
  const open = allowed === undefined ? 'other assets' : [...allowed].find((asset) => !counted.has(asset));
  if (open === undefined) return [];
  return [
    {
      code: 'TOTAL_WITHOUT_ASSET',
      span: first.span,
      message: `a total does not count ${open}: any amount of them can leave as well`,
      help:
        allowed === undefined ? 'add `tx.payments.all(p, p.asset == …)` with that asset' : 'limit the total of that asset too',
      example: { 'tx.payments[0].asset': 'another asset', 'tx.payments[0].amount': '1000000000000' },
    },
  ];
}

/** Effects are filtered to what `tx.is_payment` says, and it says more. */
function byHand({ typed }: CompiledExpression): readonly Found[] {
  const allowed = kindsAllowed(typed);
  if (demandsPayment(typed) || !allowed.has('TRANSFER') || ![...allowed].every((kind) => kind === 'TRANSFER' || kind === 'FEE'))
    return [];
  return [
    {
      code: 'USE_PAYMENTS',
      message: 'it lists the effects of payments by hand',
      help: `write ${PAYMENT_VIEW}: it also excludes NFTs, unknown amounts, and what the key moves for others`,
      example: { 'effects[0].kind': 'TRANSFER', 'effects[0].from': 'another owner' },
    },
  ];
}

/** A symbol is a word of a token list, which an organization can change. */
function symbols({ typed, text }: CompiledExpression): readonly Found[] {
  const compared = allNodes(typed).find((node) => node.kind === 'oneOf' && fieldOf(node.operand) === 'Effect.symbol');
  if (compared?.kind !== 'oneOf') return [];
  const [symbol = '…'] = [...compared.values].map(String);
  const variable = text.slice(compared.operand.span.start, compared.operand.span.end).replace(/\.symbol$/, '');
  return [
    {
      code: 'SYMBOL_COMPARED',
      span: compared.span,
      message: 'a symbol is what a token list calls an asset, and users can add tokens to the list',
      help: `compare the asset: \`${variable}.asset == ${/^\w+$/.test(symbol) ? symbol : `'…'`}\``,
      example: { 'effects[0].symbol': symbol, 'effects[0].asset': 'a token that a user added' },
    },
  ];
}

/** A DENY that asks for a payment, or for an asset on one chain, does not see the others. */
function deniedPayments(condition: CompiledExpression): readonly Found[] {
  const { typed } = condition;
  const asksOnly = conjunctsOf(typed).some((clause) => isListOf(clause, isPayment));
  const found: Found[] = [];
  if (asksOnly && !someNode(typed, (node) => isListOf(node, payments)))
    found.push({
      code: 'DENY_SIDESTEPPED',
      message: '`tx.is_payment` is false if anything else happens too, for example with a memo',
      help: 'deny what `effects` lists: `effects.any(e, …)`',
      example: { 'tx.is_payment': 'false', 'effects[1].kind': 'CALL', 'effects[1].what': 'memo' },
    });
  const named = allNodes(typed).find((node) => isNameWithoutChain(node, condition));
  if (named !== undefined)
    found.push({
      code: 'DENY_SIDESTEPPED',
      span: named.span,
      message: 'without a chain, this name means the asset on Ethereum: on other chains it is not denied',
      help: 'state the chain, and make one policy for each',
      example: { 'eth.tx.chain_id': '10' },
    });
  return found;
}

/** Chains on which no contract of Ethereum exists. */
const otherChains = chainSchemas.filter((chain) => chain !== chains.ethereum);

function isNameWithoutChain(node: Typed, { typed, text, uses }: CompiledExpression): boolean {
  if (node.kind !== 'oneOf' || node.negated || !['Payment.asset', 'Effect.asset'].includes(fieldOf(node.operand) ?? ''))
    return false;
  const isText = text.slice(node.span.start, node.span.end).includes("'");
  const isStated =
    factsOf(typed).among.has('eth.tx.chain_id') ||
    uses.some(({ namespace }) => otherChains.some((chain) => isPathOf(chain, namespace.path)));
  return !isText && !isStated && [...node.values].some((id) => String(id).startsWith('eip155:1/erc20:'));
}
