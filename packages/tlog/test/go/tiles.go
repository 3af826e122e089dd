package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

type pathCase struct {
	Level any    `json:"level"`
	Index int64  `json:"index"`
	Width int    `json:"width"`
	Path  string `json:"path"`
}

type contentCase struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

type treeCase struct {
	Size    int64         `json:"size"`
	Root    string        `json:"root"`
	Full    map[int]int64 `json:"full"`
	Partial []contentCase `json:"partial"`
}

func tiles() any {
	many := numbered(70000)
	var paths []pathCase
	for _, index := range []int64{0, 7, 999, 1000, 67, 1234067, 999999, 1000000, 9007199254740991} {
		for _, width := range []int{1, 255, 256} {
			for _, level := range []int{-1, 0, 1, 6, 63} {
				paths = append(paths, pathCase{levelName(level), index, width, path(tlog.Tile{H: 8, L: level, N: index, W: width})})
			}
		}
	}
	var trees []treeCase
	for _, size := range []int64{1, 2, 255, 256, 257, 511, 512, 1000, 65535, 65536, 65537, 66000, 70000} {
		trees = append(trees, tree(many, size))
	}
	var full []contentCase
	for _, tile := range []tlog.Tile{{H: 8, L: 0, N: 0, W: 256}, {H: 8, L: 0, N: 272, W: 256}, {H: 8, L: 1, N: 0, W: 256}} {
		full = append(full, content(many, tile))
	}
	refused := []string{
		"", "tile", "tile/0", "tile/0/", "tile/0/1", "tile/0/01", "tile/0/0001", "tile/0/x000/001", "tile/0/001/002", "tile/0/x001",
		"tile/0/x001/x002", "tile/00/001", "tile/-1/001", "tile/64/001", "tile/data/001", "tile/0/001.p", "tile/0/001.p/",
		"tile/0/001.p/0", "tile/0/001.p/01", "tile/0/001.p/256", "tile/0/001.p/1000", "/tile/0/001", "tile/0/001/", "tile/0/001\n",
		"tile/0/x009/x007/x199/x254/x740/992", "tile/0/x001/x000/x000/x000/x000/x000/000", "tile/8/0/001", "Tile/0/001", "tile/0/X001/002",
	}
	return map[string]any{"paths": paths, "refusedPaths": refused, "trees": trees, "full": full}
}

func tree(l *log, size int64) treeCase {
	widest := map[[2]int64]tlog.Tile{}
	for _, tile := range tlog.NewTiles(8, 0, size) {
		widest[[2]int64{int64(tile.L), tile.N}] = tile
	}
	found := treeCase{Size: size, Root: text(l.root(size)), Full: map[int]int64{}, Partial: []contentCase{}}
	partial := map[int]tlog.Tile{}
	for _, tile := range widest {
		if tile.W == 256 {
			found.Full[tile.L]++
		} else {
			partial[tile.L] = tile
		}
	}
	for level := 0; level < 3; level++ {
		if tile, ok := partial[level]; ok {
			found.Partial = append(found.Partial, content(l, tile))
		}
	}
	return found
}

func content(l *log, tile tlog.Tile) contentCase {
	data, err := tlog.ReadTileData(tile, l)
	check(err)
	sum := sha256.Sum256(data)
	return contentCase{path(tile), hex.EncodeToString(sum[:])}
}

// path is the path of C2SP tlog-tiles: Go's without the height, and with another word for the data of leaves.
func path(tile tlog.Tile) string {
	return strings.Replace(strings.Replace(tile.Path(), "tile/8/", "tile/", 1), "tile/data/", "tile/entries/", 1)
}

func levelName(level int) any {
	if level == -1 {
		return "entries"
	}
	return level
}
