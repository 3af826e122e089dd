type AttributeName =
  | 'CKA_CLASS'
  | 'CKA_KEY_TYPE'
  | 'CKA_VALUE_LEN'
  | 'CKA_TOKEN'
  | 'CKA_PRIVATE'
  | 'CKA_SENSITIVE'
  | 'CKA_EXTRACTABLE'
  | 'CKA_ENCRYPT'
  | 'CKA_DECRYPT'
  | 'CKA_LABEL'
  | 'CKA_ID';

type ConstantName =
  | AttributeName
  | 'CKO_SECRET_KEY'
  | 'CKK_AES'
  | 'CKM_AES_KEY_GEN'
  | 'CKM_AES_GCM'
  | 'CK_PARAMS_AES_GCM'
  | 'CKF_RW_SESSION'
  | 'CKF_SERIAL_SESSION'
  | 'CKU_USER';

/** The part of the package pkcs11js that the thread uses. It is an optional peer, so its types may be missing. */
export type Pkcs11Package = { readonly PKCS11: new () => Library } & { readonly [name in ConstantName]: number };

/** The attributes of an object to find or to make. */
export type Attributes = { readonly [name in AttributeName]?: Buffer | string | number | boolean };

export function templateOf(ck: Pkcs11Package, attributes: Attributes): readonly Attribute[] {
  return Object.entries(attributes).map(([name, value]) => ({ type: ck[name as AttributeName], value }));
}

export type Handle = Uint8Array;

interface Attribute {
  readonly type: number;
  readonly value?: Buffer | string | number | boolean;
}

export interface Mechanism {
  readonly mechanism: number;
  readonly parameter?: unknown;
}

export interface TokenInfo {
  readonly label: string;
  readonly manufacturerID: string;
  readonly model: string;
  readonly serialNumber: string;
  readonly flags: number;
}

/** A PKCS #11 library. Its functions block the thread. */
export interface Library {
  load(path: string): void;
  C_Initialize(): void;
  C_Finalize(): void;
  C_GetSlotList(tokenPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): TokenInfo;
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, userType: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void;
  C_FindObjects(session: Handle, max: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: readonly Attribute[]): { readonly value: Buffer }[];
  C_GenerateKey(session: Handle, mechanism: Mechanism, template: readonly Attribute[]): Handle;
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Encrypt(session: Handle, plain: Buffer, output: Buffer): Buffer;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Decrypt(session: Handle, encrypted: Buffer, output: Buffer): Buffer;
}

/** The code of an error of a library (CKR_…), or undefined for another error. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || error.name !== 'Pkcs11Error') return undefined;
  return (error as Error & { readonly code?: number }).code;
}
