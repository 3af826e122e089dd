import { formatQuantity } from '../../effects/quantity.ts';
import { functionTable } from './scope.ts';

/** WETH9 and its likes: one token for one coin. */
export const wrappedCoin = functionTable({
  'deposit()': (_, call, scope) => {
    const back = formatQuantity({ asset: scope.token(call.to), amount: call.value });
    scope.found.add({ kind: 'CALL', what: `deposit for ${back}`, to: call.to });
  },
  'withdraw(uint256 value)': (args, call, scope) => {
    const amount = args.uint('value');
    scope.found.add({ kind: 'TRANSFER', asset: scope.token(call.to), amount, from: call.from, to: call.to });
    scope.found.add({ kind: 'CALL', what: `withdraw for ${formatQuantity({ asset: scope.coin, amount })}`, to: call.to });
  },
});
