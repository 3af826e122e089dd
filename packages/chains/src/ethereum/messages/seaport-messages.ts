import { toChecksumAddress } from '../../addresses/ethereum.ts';
import type { Asset } from '../../effects/effect.ts';
import { formatQuantity } from '../../effects/quantity.ts';
import { type CallScope, maxItems } from '../calls/scope.ts';
import type { MessageFields, MessageReader } from './message.ts';

const orderType =
  'OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)' +
  'ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)' +
  'OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)';

/** Seaport orders: the account that fulfils one takes the offer and pays the consideration. */
export const seaportMessages: { readonly [type: string]: MessageReader } = {
  [orderType]: ({ contract, fields }, scope) => {
    const offer = fields.structs('offer');
    const asked = fields.structs('consideration');
    const count = offer.length + asked.length;
    if (count > maxItems) {
      scope.unknown('an order', contract, count * 160, `An order of ${count} items was not read.`);
      return true;
    }
    const from = fields.address('offerer');
    for (const item of offer) {
      const asset = assetOf(item, scope);
      // The amount moves from the one to the other while the order is open.
      const amount = larger(item.uint('startAmount'), item.uint('endAmount'));
      if (asset !== undefined) scope.found.add({ kind: 'TRANSFER', asset, amount, from, to: contract });
    }
    const prices = asked.map((item) => {
      const asset = assetOf(item, scope);
      const amount = smaller(item.uint('startAmount'), item.uint('endAmount'));
      const much = asset === undefined ? 'something unknown' : formatQuantity({ asset, amount });
      return `${much} to ${toChecksumAddress(item.address('recipient'))}`;
    });
    scope.found.add({
      kind: 'CALL',
      what: `an order that asks for ${prices.join(' and ') || 'NOTHING IN RETURN'}`,
      to: contract,
    });
    return true;
  },
};

/** Seaport's ItemType: the coin, ERC-20, ERC-721, ERC-1155, and the latter two by criteria instead of an id. */
function assetOf(item: MessageFields, scope: CallScope): Asset | undefined {
  const token = item.address('token');
  const id = item.uint('identifierOrCriteria');
  switch (item.uint('itemType')) {
    case 0n:
      return scope.coin;
    case 1n:
      return scope.token(token);
    case 2n:
      return scope.collection('erc721', token, id);
    case 3n:
      return scope.collection('erc1155', token, id);
    case 4n:
    case 5n:
      scope.found.doubt('An order names pieces by criteria, so which pieces it moves is not known.');
      return scope.collection(item.uint('itemType') === 4n ? 'erc721' : 'erc1155', token);
    default:
      scope.unknown('an item of an order', token, 160, 'An order has an item of an unknown kind.');
      return undefined;
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
