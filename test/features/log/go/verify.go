// A reader of the log that shares no code with the service: golang.org/x/mod/sumdb is what Go's own checksum database is read with.
// It opens the signed checkpoint, reads every tile and every entry, and proves every leaf.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

var base = strings.TrimSuffix(os.Args[1], "/") + "/log/"

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func get(path string) ([]byte, error) {
	response, err := http.Get(base + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 200 {
		err = fmt.Errorf("%s: %s", path, response.Status)
	}
	return body, err
}

// C2SP tlog-tiles leaves out the height that Go puts into the path.
func path(tile tlog.Tile) string {
	return strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
}

type tiles struct{}

func (tiles) Height() int { return height }

func (tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(wanted))
	for i, tile := range wanted {
		var err error
		if data[i], err = get(path(tile)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// The entries of one bundle: each has its length in two bytes before it.
func entries(index, width int64) [][]byte {
	tile := tlog.Tile{H: height, L: 0, N: index, W: int(width)}
	bundle, err := get(strings.Replace(path(tile), "tile/0/", "tile/entries/", 1))
	check(err)
	var list [][]byte
	for len(bundle) > 0 {
		length := int(binary.BigEndian.Uint16(bundle))
		list = append(list, bundle[2:2+length])
		bundle = bundle[2+length:]
	}
	return list
}

func main() {
	key, err := get("key")
	check(err)
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	check(err)
	signed, err := get("checkpoint")
	check(err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	check(err)
	lines := strings.SplitN(opened.Text, "\n", 4)
	var size int64
	_, err = fmt.Sscan(lines[1], &size)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	tree := tlog.Tree{N: size, Hash: root}
	reader := tlog.TileHashReader(tree, tiles{})
	for start := int64(0); start < size; start += 1 << height {
		width := size - start
		if width > 1<<height {
			width = 1 << height
		}
		for i, data := range entries(start>>height, width) {
			leaf := start + int64(i)
			proof, err := tlog.ProveRecord(size, leaf, reader)
			check(err)
			check(tlog.CheckRecord(proof, size, root, leaf, tlog.RecordHash(data)))
		}
	}
	proof, err := tlog.ProveTree(size, size/2+1, reader)
	check(err)
	half, err := tlog.TreeHash(size/2+1, reader)
	check(err)
	check(tlog.CheckTree(proof, size, root, size/2+1, half))
	fmt.Printf("%s: %d leaves, each proven under the signed root; the tree of %d leaves is its beginning\n", lines[0], size, size/2+1)
}
