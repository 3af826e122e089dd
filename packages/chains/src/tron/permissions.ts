import type { Effect } from '../effects/effect.ts';
import { quoteText } from '../shared/text.ts';
import { type ContractType, field } from './contract-type.ts';
import { text } from './effects.ts';
import { address, enumOf, hex, int32, int64, message, text as utf8 } from './field-readers.ts';
import type { Content, MessageSpec } from './protobuf.ts';

const permission: MessageSpec = {
  name: 'Permission',
  fields: [
    field(1, 'type', enumOf(['Owner', 'Witness', 'Active'])),
    field(2, 'id', int32),
    field(3, 'permission_name', utf8),
    field(4, 'threshold', int64),
    field(5, 'parent_id', int32),
    field(6, 'operations', hex),
    field(7, 'keys', message({ name: 'Key', fields: [field(1, 'address', address), field(2, 'weight', int64)] }), {
      repeated: true,
    }),
  ],
};

/** Who may act for an account. An update replaces all permissions. */
export const accountPermissionUpdate: ContractType = {
  number: 46,
  message: {
    name: 'AccountPermissionUpdateContract',
    fields: [
      field(1, 'owner_address', address),
      field(2, 'owner', message(permission)),
      field(3, 'witness', message(permission), { optional: true }),
      field(4, 'actives', message(permission), { repeated: true }),
    ],
  },
  changesPermissions: true,
  effects({ owner_address, owner, witness, actives }) {
    const from = text(owner_address);
    return [
      grant(from, 'owner', owner as Content),
      ...(witness === undefined ? [] : [grant(from, 'witness', witness as Content)]),
      ...(actives as readonly Content[]).map((active) => grant(from, 'active', active)),
    ];
  },
};

/** A permission with one key names it as the address that gains the right. One with several names them in words. */
function grant(from: string, which: string, { permission_name, threshold, operations, keys }: Content): Effect {
  const limited = operations === '' ? '' : ` for the operations ${operations}`;
  const what = `${which} permission ${quoteText(text(permission_name))}${limited} of threshold ${threshold} goes to`;
  const members = keys as readonly Content[];
  const [only, ...others] = members;
  if (only !== undefined && others.length === 0)
    return { kind: 'AUTHORITY', what: `${what} (weight ${only.weight})`, from, to: text(only.address) };
  const list = members.map((key) => `(weight ${key.weight}) ${key.address}`).join(', ');
  return { kind: 'AUTHORITY', what: `${what} ${list || 'nobody'}`, from };
}
