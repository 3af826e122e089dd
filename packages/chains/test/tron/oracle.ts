import protobuf from 'protobufjs';

/** The parts of https://github.com/tronprotocol/protocol that the tests need, for a second implementation to read and write. */
const { root } = protobuf.parse(
  `
  syntax = "proto3";
  package protocol;
  message Any { string type_url = 1; bytes value = 2; }
  message Contract { int32 type = 1; Any parameter = 2; bytes provider = 3; bytes ContractName = 4; int32 Permission_id = 5; }
  message Raw {
    bytes ref_block_bytes = 1; int64 ref_block_num = 3; bytes ref_block_hash = 4; int64 expiration = 8; bytes data = 10;
    repeated Contract contract = 11; bytes scripts = 12; int64 timestamp = 14; int64 fee_limit = 18;
  }
  message Transaction { Raw raw_data = 1; repeated bytes signature = 2; }
  enum ResourceCode { BANDWIDTH = 0; ENERGY = 1; TRON_POWER = 2; }
  message Key { bytes address = 1; int64 weight = 2; }
  message Permission {
    enum PermissionType { Owner = 0; Witness = 1; Active = 2; }
    PermissionType type = 1; int32 id = 2; string permission_name = 3; int64 threshold = 4; int32 parent_id = 5;
    bytes operations = 6; repeated Key keys = 7;
  }
  message TransferContract { bytes owner_address = 1; bytes to_address = 2; int64 amount = 3; }
  message TransferAssetContract { bytes asset_name = 1; bytes owner_address = 2; bytes to_address = 3; int64 amount = 4; }
  message TriggerSmartContract {
    bytes owner_address = 1; bytes contract_address = 2; int64 call_value = 3; bytes data = 4; int64 call_token_value = 5; int64 token_id = 6;
  }
  message DelegateResourceContract {
    bytes owner_address = 1; ResourceCode resource = 2; int64 balance = 3; bytes receiver_address = 4; bool lock = 5; int64 lock_period = 6;
  }
  message AccountPermissionUpdateContract { bytes owner_address = 1; Permission owner = 2; Permission witness = 3; repeated Permission actives = 4; }
`,
  { keepCase: true },
);

/** The message type of that name. */
export function messageType(name: string): protobuf.Type {
  return root.lookupType(`protocol.${name}`);
}

/** Writes a message by its fields; int64 values are given as decimal text. */
export function encode(name: string, fields: Readonly<Record<string, unknown>>): Uint8Array {
  const type = messageType(name);
  return Uint8Array.from(type.encode(type.fromObject(fields)).finish());
}

/** Reads a message and writes it again: the same bytes, if they were canonical to begin with. */
export function reencode(name: string, bytes: Uint8Array): Uint8Array {
  const type = messageType(name);
  return Uint8Array.from(type.encode(type.decode(bytes)).finish());
}
