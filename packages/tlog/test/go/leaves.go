package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// opening lists the members in their canonical order, which is the order in which encoding/json writes them.
type opening struct {
	OrganizationID string `json:"organizationId"`
	Sequence       int64  `json:"sequence"`
	PreviousLeaf   string `json:"previousLeaf"`
	ActivityID     string `json:"activityId"`
	Fingerprint    string `json:"fingerprint"`
	Type           string `json:"type"`
	Status         string `json:"status"`
	DecisionDigest string `json:"decisionDigest"`
	ResultDigest   string `json:"resultDigest"`
	TimeMs         int64  `json:"timeMs"`
}

type leafCase struct {
	Opening  opening `json:"opening"`
	Salt     string  `json:"salt"`
	Bytes    string  `json:"bytes"`
	Leaf     string  `json:"leaf"`
	LeafHash string  `json:"leafHash"`
}

func leaves() any {
	const organization = "7b0c3c1e-0d5f-4c3e-9d0a-3f6f3a3a9b11"
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	statuses := []string{"ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_FAILED"}
	var chain []leafCase
	previous := ""
	for sequence := int64(1); sequence <= 5; sequence++ {
		number := fmt.Sprint(sequence)
		each := opening{
			OrganizationID: organization, Sequence: sequence, PreviousLeaf: previous,
			ActivityID: "activity-" + number, Fingerprint: "sha256:" + digest("fingerprint "+number),
			Type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", Status: statuses[(sequence-1)%4],
			DecisionDigest: digest("decision " + number), ResultDigest: "", TimeMs: 1700000000000 + sequence,
		}
		if sequence%2 == 0 {
			each.ResultDigest = digest("result " + number)
		}
		leaf := commit(each, digest("salt "+number))
		chain = append(chain, leaf)
		previous = leaf.LeafHash
	}
	unusual := []leafCase{
		commit(opening{
			OrganizationID: "\"quoted\" \\ and\nnew line\tünïcode ✓ 🔑 </script> & \u007f", Sequence: 1, ActivityID: "a", Fingerprint: "f", Type: "t", Status: "s",
		}, digest("salt")),
		commit(opening{
			OrganizationID: "o", Sequence: 9007199254740991, PreviousLeaf: digest("previous"), ActivityID: "a", Fingerprint: "f", Type: "t",
			Status: "s", DecisionDigest: digest("decision"), ResultDigest: digest("result"), TimeMs: 9007199254740991,
		}, digest("salt")),
	}
	return map[string]any{
		"chain":   map[string]any{"organizationId": organization, "leaves": chain, "head": map[string]any{"sequence": 5, "leafHash": previous}},
		"unusual": unusual,
	}
}

func commit(each opening, salt string) leafCase {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(each))
	canonical := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	sum := sha256.Sum256(append(unhex(salt), canonical...))
	leaf := append([]byte{1}, sum[:]...)
	return leafCase{each, salt, string(canonical), hex.EncodeToString(leaf), text(tlog.RecordHash(leaf))}
}
