package main

import (
	"crypto/sha256"
	"encoding/hex"

	"golang.org/x/mod/sumdb/tlog"
)

type sizeAndRoot struct {
	Size int64  `json:"size"`
	Root string `json:"root"`
}

type inclusionCase struct {
	Name     string   `json:"name,omitempty"`
	Index    int64    `json:"index"`
	Size     int64    `json:"size"`
	LeafHash string   `json:"leafHash"`
	Root     string   `json:"root"`
	Proof    []string `json:"proof"`
}

type consistencyCase struct {
	Name    string   `json:"name,omitempty"`
	OldSize int64    `json:"oldSize"`
	OldRoot string   `json:"oldRoot"`
	NewSize int64    `json:"newSize"`
	NewRoot string   `json:"newRoot"`
	Proof   []string `json:"proof"`
}

var large = []int64{256, 257, 65535, 65536, 65537, 70000}

func inclusion() any {
	known, many := wellKnownLog(), numbered(70000)
	empty := sha256.Sum256(nil)
	roots := []sizeAndRoot{{0, hex.EncodeToString(empty[:])}}
	var proofs, manyProofs, refused []inclusionCase
	for size := int64(1); size <= known.size; size++ {
		roots = append(roots, sizeAndRoot{size, text(known.root(size))})
		for index := int64(0); index < size; index++ {
			proofs = append(proofs, prove(known, index, size))
		}
	}
	for _, size := range large {
		for _, index := range []int64{0, 255, size / 2, size - 1} {
			manyProofs = append(manyProofs, prove(many, index, size))
		}
	}
	valid := prove(known, 2, 7)
	mutate := func(name string, change func(*inclusionCase)) {
		changed := valid
		changed.Name = name
		changed.Proof = append([]string{}, valid.Proof...)
		change(&changed)
		mustRefuse(name, tlog.CheckRecord(hashes(changed.Proof), changed.Size, hash(changed.Root), changed.Index, hash(changed.LeafHash)))
		refused = append(refused, changed)
	}
	mutate("another index", func(c *inclusionCase) { c.Index = 3 })
	mutate("an index outside the tree", func(c *inclusionCase) { c.Index = 7 })
	// A size of 5, 6 or 8 would pass: the way up from this leaf has the same shape there. Only a checkpoint binds size and root.
	mutate("a larger tree size", func(c *inclusionCase) { c.Size = 9 })
	mutate("a smaller tree size", func(c *inclusionCase) { c.Size = 4 })
	mutate("the root of another size", func(c *inclusionCase) { c.Root = text(known.root(6)) })
	mutate("the hash of another leaf", func(c *inclusionCase) { c.LeafHash = text(known.leaf(3)) })
	mutate("no proof", func(c *inclusionCase) { c.Proof = []string{} })
	mutate("the last hash missing", func(c *inclusionCase) { c.Proof = c.Proof[:len(c.Proof)-1] })
	mutate("the first hash missing", func(c *inclusionCase) { c.Proof = c.Proof[1:] })
	mutate("the root at the end", func(c *inclusionCase) { c.Proof = append(c.Proof, c.Root) })
	mutate("the leaf at the beginning", func(c *inclusionCase) { c.Proof = append([]string{c.LeafHash}, c.Proof...) })
	mutate("two hashes swapped", func(c *inclusionCase) { c.Proof[0], c.Proof[1] = c.Proof[1], c.Proof[0] })
	// The attack that the two prefixes prevent: a node shown as if it were a leaf.
	mutate("a node as a leaf", func(c *inclusionCase) {
		c.LeafHash, c.Index, c.Size, c.Root = text(known.hashes[tlog.StoredHashIndex(1, 1)]), 1, 2, text(known.root(4))
		c.Proof = []string{text(tlog.RecordHash(nil))}
	})
	return map[string]any{"leaves": wellKnown, "roots": roots, "proofs": proofs, "numbered": manyProofs, "refused": refused}
}

func prove(l *log, index, size int64) inclusionCase {
	proof, err := tlog.ProveRecord(size, index, l)
	check(err)
	check(tlog.CheckRecord(proof, size, l.root(size), index, l.leaf(index)))
	return inclusionCase{Index: index, Size: size, LeafHash: text(l.leaf(index)), Root: text(l.root(size)), Proof: texts(proof)}
}

func consistency() any {
	known, many := wellKnownLog(), numbered(70000)
	var proofs, manyProofs, refused []consistencyCase
	for newSize := int64(1); newSize <= known.size; newSize++ {
		for oldSize := int64(1); oldSize <= newSize; oldSize++ {
			proofs = append(proofs, relate(known, oldSize, newSize))
		}
	}
	for _, newSize := range large {
		for _, oldSize := range []int64{1, 255, 256, newSize / 2, newSize - 1} {
			manyProofs = append(manyProofs, relate(many, oldSize, newSize))
		}
	}
	valid := relate(known, 3, 7)
	mutate := func(name string, change func(*consistencyCase)) {
		changed := valid
		changed.Name = name
		changed.Proof = append([]string{}, valid.Proof...)
		change(&changed)
		mustRefuse(name, tlog.CheckTree(hashes(changed.Proof), changed.NewSize, hash(changed.NewRoot), changed.OldSize, hash(changed.OldRoot)))
		refused = append(refused, changed)
	}
	mutate("another old size", func(c *consistencyCase) { c.OldSize = 2 })
	mutate("another new size", func(c *consistencyCase) { c.NewSize = 9 })
	mutate("the sizes swapped", func(c *consistencyCase) { c.OldSize, c.NewSize = c.NewSize, c.OldSize })
	mutate("another old root", func(c *consistencyCase) { c.OldRoot = text(known.root(4)) })
	mutate("another new root", func(c *consistencyCase) { c.NewRoot = text(known.root(8)) })
	mutate("no proof", func(c *consistencyCase) { c.Proof = []string{} })
	mutate("the last hash missing", func(c *consistencyCase) { c.Proof = c.Proof[:len(c.Proof)-1] })
	mutate("the first hash missing", func(c *consistencyCase) { c.Proof = c.Proof[1:] })
	mutate("the new root at the end", func(c *consistencyCase) { c.Proof = append(c.Proof, c.NewRoot) })
	mutate("two hashes swapped", func(c *consistencyCase) { c.Proof[0], c.Proof[1] = c.Proof[1], c.Proof[0] })
	mutate("equal sizes with different roots", func(c *consistencyCase) { c.OldSize, c.Proof = c.NewSize, []string{} })
	mutate("equal sizes with a proof", func(c *consistencyCase) {
		c.OldSize, c.OldRoot, c.Proof = c.NewSize, c.NewRoot, []string{c.NewRoot}
	})
	return map[string]any{"leaves": wellKnown, "proofs": proofs, "numbered": manyProofs, "refused": refused}
}

func relate(l *log, oldSize, newSize int64) consistencyCase {
	proof, err := tlog.ProveTree(newSize, oldSize, l)
	check(err)
	check(tlog.CheckTree(proof, newSize, l.root(newSize), oldSize, l.root(oldSize)))
	return consistencyCase{
		OldSize: oldSize, OldRoot: text(l.root(oldSize)), NewSize: newSize, NewRoot: text(l.root(newSize)), Proof: texts(proof),
	}
}

func hash(hexText string) (h tlog.Hash) {
	copy(h[:], unhex(hexText))
	return h
}

func hashes(hexTexts []string) []tlog.Hash {
	list := make([]tlog.Hash, len(hexTexts))
	for i, each := range hexTexts {
		list[i] = hash(each)
	}
	return list
}
