import type { Arguments } from './arguments.ts';
import { type Call, type CallScope, functionTable, maxItems } from './scope.ts';

const nobody = `0x${'0'.repeat(40)}`;

/** ERC-721. It shares the selectors of `transferFrom` and `approve` with ERC-20. */
export const erc721 = functionTable({
  'transferFrom(address from, address to, uint256 tokenId)': sendPiece,
  'safeTransferFrom(address from, address to, uint256 tokenId)': sendPiece,
  'safeTransferFrom(address from, address to, uint256 tokenId, bytes data)': (args, call, scope) => {
    sendPiece(args, call, scope);
    handOver(args, scope);
  },
  'approve(address to, uint256 tokenId)': (args, call, scope) => {
    const to = args.address('to');
    scope.found.add({
      kind: 'ALLOWANCE',
      asset: scope.collection('erc721', call.to, args.uint('tokenId')),
      // ERC-721: the zero address takes the approval back.
      amount: to === nobody ? 0n : 1n,
      from: call.from,
      to,
      unlimited: false,
    });
  },
  'setApprovalForAll(address operator, bool approved)': (args, call, scope) => allowAll('erc721', args, call, scope),
});

/** ERC-1155. */
export const erc1155 = functionTable({
  'safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)': (args, call, scope) => {
    sendKind(args, args.uint('id'), args.uint('amount'), call, scope);
    handOver(args, scope);
  },
  'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)': (args, call, scope) => {
    const ids = args.uints('ids');
    const amounts = args.uints('amounts');
    if (ids.length !== amounts.length || ids.length > maxItems) {
      const reason = `A batch of ${ids.length} ids and ${amounts.length} amounts was not read.`;
      scope.unknown('safeBatchTransferFrom', call.to, call.data.length, reason);
      return;
    }
    for (const [index, id] of ids.entries()) sendKind(args, id, amounts[index] ?? 0n, call, scope);
    handOver(args, scope);
  },
  'setApprovalForAll(address operator, bool approved)': (args, call, scope) => allowAll('erc1155', args, call, scope),
});

function sendPiece(args: Arguments, call: Call, scope: CallScope): void {
  const asset = scope.collection('erc721', call.to, args.uint('tokenId'));
  scope.found.add({ kind: 'TRANSFER', asset, amount: 1n, from: args.address('from'), to: args.address('to') });
}

function sendKind(args: Arguments, id: bigint, amount: bigint, call: Call, scope: CallScope): void {
  const asset = scope.collection('erc1155', call.to, id);
  scope.found.add({ kind: 'TRANSFER', asset, amount, from: args.address('from'), to: args.address('to') });
}

function allowAll(standard: 'erc721' | 'erc1155', args: Arguments, call: Call, scope: CallScope): void {
  const asset = scope.collection(standard, call.to);
  const [from, to] = [call.from, args.address('operator')];
  scope.found.add(
    args.bool('approved')
      ? { kind: 'ALLOWANCE', asset, from, to, unlimited: true }
      : { kind: 'ALLOWANCE', asset, amount: 0n, from, to, unlimited: false },
  );
}

/** A receiving contract is called with the data and may do anything that its own rights allow. */
function handOver(args: Arguments, scope: CallScope): void {
  const bytes = args.bytes('data').length;
  if (bytes > 0) {
    const reason = 'A transfer of pieces hands data to its receiver. What the receiver does with it was not decoded.';
    scope.unknown('data for the receiver', args.address('to'), bytes, reason);
  }
}
