// Command go writes the vectors of conformance/log with Go's own log and note packages, golang.org/x/mod/sumdb.
// conformance/log/README.md says how to run it.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/tlog"
)

var files = map[string]func() any{
	"inclusion":   inclusion,
	"consistency": consistency,
	"tiles":       tiles,
	"notes":       notes,
	"leaves":      leaves,
}

func main() {
	if len(os.Args) != 2 || files[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "name one file: inclusion, consistency, tiles, notes or leaves")
		os.Exit(2)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	check(encoder.Encode(files[os.Args[1]]()))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// mustRefuse stops the program if Go accepts what a vector says is refused.
func mustRefuse(name string, err error) {
	if err == nil {
		panic("Go accepts: " + name)
	}
}

// wellKnown are the leaves of the first tests of Certificate Transparency.
var wellKnown = []string{
	"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
}

func unhex(text string) []byte {
	data, err := hex.DecodeString(text)
	check(err)
	return data
}

// log keeps the stored hashes of a tree in memory.
type log struct {
	hashes []tlog.Hash
	size   int64
}

func (l *log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		found[i] = l.hashes[index]
	}
	return found, nil
}

func (l *log) add(data []byte) {
	hashes, err := tlog.StoredHashes(l.size, data, l)
	check(err)
	l.hashes = append(l.hashes, hashes...)
	l.size++
}

func (l *log) leaf(index int64) tlog.Hash {
	return l.hashes[tlog.StoredHashIndex(0, index)]
}

func (l *log) root(size int64) tlog.Hash {
	root, err := tlog.TreeHash(size, l)
	check(err)
	return root
}

func wellKnownLog() *log {
	l := &log{}
	for _, leaf := range wellKnown {
		l.add(unhex(leaf))
	}
	return l
}

// numbered is a tree whose leaves are their own indexes in decimal digits.
func numbered(size int64) *log {
	l := &log{}
	for l.size < size {
		l.add([]byte(fmt.Sprint(l.size)))
	}
	return l
}

func text(hash tlog.Hash) string { return hex.EncodeToString(hash[:]) }

func texts(hashes []tlog.Hash) []string {
	list := make([]string, len(hashes))
	for i, hash := range hashes {
		list[i] = text(hash)
	}
	return list
}
