export { TlogError, type Verdict } from './errors.ts';
export { type ChainHead, emptyChain, type OpenedLeaf, verifyChain } from './leaves/chain.ts';
export { commitment, commitmentLeaf, LEAF_BYTES, SALT_BYTES, verifyOpening } from './leaves/commitment.ts';
export {
  type CreatedHead,
  type Opening,
  type OpeningV1,
  type OpeningV2,
  openingBytes,
  openingText,
  openingVersion,
  parseOpening,
  parseOpeningText,
} from './leaves/opening.ts';
export { formatShardEntry, parseShardEntry, type ShardEntry } from './leaves/shard-entry.ts';
export {
  type OrganizationHead,
  organizationKey,
  organizationValue,
  prefixesOf,
  type UsageHead,
  usageValue,
} from './map/entries.ts';
export {
  BUCKET_ENTRIES,
  decodeNode,
  emptyMapNode,
  emptyMapRoot,
  encodeNode,
  type MapEntry,
  type MapNode,
  mapNodeHash,
  type Sha256,
} from './map/node.ts';
export { type MapNodes, type MapVerdict, mapPath, verifyMapPath } from './map/path.ts';
export { type UpdatedMap, updateMap } from './map/update.ts';
export { type ConsistencyClaim, consistencyProof, verifyConsistency } from './merkle/consistency.ts';
export { type Appended, appendLeaves, emptyFrontier, type Frontier, frontierRoot, type StoredHash } from './merkle/frontier.ts';
export { emptyRoot, HASH_BYTES, leafHash, type NodeHash, nodeHash } from './merkle/hash.ts';
export { type InclusionClaim, inclusionProof, verifyInclusion } from './merkle/inclusion.ts';
export { type Place, placesOf } from './merkle/place.ts';
export { type HashReader, treeRoot } from './merkle/reader.ts';
export {
  type Checkpoint,
  formatCheckpoint,
  type OpenCheckpoint,
  openCheckpoint,
  parseCheckpoint,
} from './notes/checkpoint.ts';
export { cosign, cosignatureTime, cosignatureVerifier } from './notes/cosignature.ts';
export { ed25519Verifier, type NoteVerifier, signNote } from './notes/ed25519.ts';
export { headsExtension, readHeadsExtension } from './notes/heads-extension.ts';
export {
  formatSignerKey,
  formatVerifierKey,
  keyId,
  parseSignerKey,
  parseVerifierKey,
  type SignatureType,
  type SignerKey,
  type VerifierKey,
  verifierKeyOf,
} from './notes/key.ts';
export { formatNote, MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES, type Note, type NoteSignature, parseNote } from './notes/note.ts';
export { type OpenNote, openNote } from './notes/open.ts';
export { formatEntryBundle, MAX_ENTRY_BYTES, parseEntryBundle } from './tiles/entry-bundle.ts';
export { parseTilePath, tilePath } from './tiles/path.ts';
export { type EntryBundle, partialTiles, TILE_WIDTH, type Tile, tilesOfGrowth, tilesOfTree } from './tiles/tile.ts';
export { makeTile } from './tiles/tile-bytes.ts';
export { type FetchTiles, verifiedTileReader } from './tiles/verified-reader.ts';
export {
  ADD_CHECKPOINT_PATH,
  type AddCheckpoint,
  formatAddCheckpoint,
  parseAddCheckpoint,
  parseTreeSize,
  TREE_SIZE_TYPE,
} from './witness/add-checkpoint.ts';
