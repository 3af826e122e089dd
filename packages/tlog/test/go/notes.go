package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type keyCase struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Verifier  string `json:"verifier"`
	Signer    string `json:"signer"`
	seed      ed25519.PrivateKey
	hash      uint32
	algorithm byte
}

type noteCase struct {
	Name     string   `json:"name"`
	Note     string   `json:"note"`
	Keys     []string `json:"keys"`
	Verified []string `json:"verified,omitempty"`
	Text     string   `json:"text,omitempty"`
}

type cosignatureCase struct {
	Key        string `json:"key"`
	Time       string `json:"time"`
	Checkpoint string `json:"checkpoint"`
	Line       string `json:"line"`
}

func newKey(name string, algorithm byte, seedByte byte) keyCase {
	kind := map[byte]string{1: "ed25519", 4: "cosignature"}[algorithm]
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string([]byte{seedByte}), ed25519.SeedSize)))
	public := private.Public().(ed25519.PublicKey)
	sum := sha256.Sum256(append([]byte(name+"\n"+string([]byte{algorithm})), public...))
	encode := func(key []byte) string { return base64.StdEncoding.EncodeToString(append([]byte{algorithm}, key...)) }
	id := binary.BigEndian.Uint32(sum[:])
	verifier := fmt.Sprintf("%s+%08x+%s", name, id, encode(public))
	if algorithm == 1 {
		want, err := note.NewEd25519VerifierKey(name, public)
		check(err)
		if want != verifier {
			panic("Go writes another verifier key")
		}
	}
	return keyCase{name, kind, verifier, fmt.Sprintf("PRIVATE+KEY+%s+%08x+%s", name, id, encode(private.Seed())), private, id, algorithm}
}

// cosigner is a note.Signer that follows C2SP tlog-cosignature, which sumdb does not have.
type cosigner struct {
	key  keyCase
	time uint64
}

func (c cosigner) Name() string    { return c.key.Name }
func (c cosigner) KeyHash() uint32 { return c.key.hash }
func (c cosigner) Sign(message []byte) ([]byte, error) {
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", c.time, message)
	signature := make([]byte, 8)
	binary.BigEndian.PutUint64(signature, c.time)
	return append(signature, ed25519.Sign(c.key.seed, []byte(signed))...), nil
}

const (
	peterSigner   = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
	peterVerifier = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
	peterText     = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
	peterLine     = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)

func notes() any {
	log, other := newKey("log.example/countersign", 1, 1), newKey("log.example/countersign", 1, 2)
	foreign, witness := newKey("zeuge.example/ünïcode", 1, 3), newKey("witness.example/w1", 4, 4)
	keys := []keyCase{{Name: "PeterNeumann", Type: "ed25519", Verifier: peterVerifier, Signer: peterSigner}, log, other, foreign, witness}
	root := numbered(1000).root(1000)
	checkpoint := "log.example/countersign\n1000\n" + base64.StdEncoding.EncodeToString(root[:]) + "\n"
	if strings.Replace(checkpoint, "log.example/countersign", "go.sum database tree", 1) != string(tlog.FormatTree(tlog.Tree{N: 1000, Hash: root})) {
		panic("Go writes another tree head")
	}

	signed := sign("first line\n\nlast line — ünïcode\n", log)
	both := sign(checkpoint, log, foreign)
	opened := []noteCase{
		open("the example of Go's note package", peterText+"\n"+peterLine, peterVerifier),
		open("an empty line and Unicode in the text", signed, log.Verifier),
		open("a text of one newline", sign("\n", log), log.Verifier),
		open("a text that looks like a signed note", sign(signed, foreign), foreign.Verifier),
		open("two signatures, both known", both, log.Verifier, foreign.Verifier),
		open("two signatures, the first unknown", both, foreign.Verifier),
		open("an unknown key that shares a known name", sign(checkpoint, other, log), log.Verifier),
		open("one signature twice", both+strings.SplitAfter(both, "\n")[4], log.Verifier),
		open("an unknown type beside a known one", sign(checkpoint, log, cosigner{witness, 1679315147}), log.Verifier),
	}
	var refused []noteCase
	refuse := func(name, text string, verifiers ...string) {
		_, err := note.Open([]byte(text), verifierList(verifiers))
		mustRefuse(name, err)
		refused = append(refused, noteCase{Name: name, Note: text, Keys: verifiers})
	}
	peter := peterText + "\n" + peterLine
	refuse("no known key", peter, log.Verifier)
	refuse("a known name with another key", sign(checkpoint, other), log.Verifier)
	refuse("the text changed", strings.Replace(peter, "think", "thinK", 1), peterVerifier)
	refuse("a wrong signature before a right one", peterText+"\n"+strings.Replace(peterLine, "ZJkuBS", "ZJkuBT", 1)+peterLine, peterVerifier)
	refuse("the signature of another text", strings.Replace(both, "1000", "1001", 1), log.Verifier)
	refuse("no signature", peterText+"\n", peterVerifier)
	refuse("only a text", peterText, peterVerifier)
	refuse("no empty line", peterText+peterLine, peterVerifier)
	refuse("no newline at the end", strings.TrimSuffix(peter, "\n"), peterVerifier)
	refuse("a hyphen for the em dash", strings.Replace(peter, "—", "-", 1), peterVerifier)
	refuse("an en dash for the em dash", strings.Replace(peter, "—", "–", 1), peterVerifier)
	refuse("two spaces after the em dash", strings.Replace(peter, "— ", "—  ", 1), peterVerifier)
	refuse("a line that is no signature", peter+"Unexpected line.\n", peterVerifier)
	refuse("a carriage return", strings.Replace(peter, "=\n", "=\r\n", 1), peterVerifier)
	refuse("a tab in the text", strings.Replace(peter, "think", "th\tink", 1), peterVerifier)
	refuse("a space in the name", strings.Replace(peter, "PeterNeumann", "Peter Neumann", 1), peterVerifier)
	refuse("a plus sign in the name", strings.Replace(peter, "PeterNeumann", "Peter+Neumann", 1), peterVerifier)
	refuse("a no-break space in the name", strings.Replace(peter, "PeterNeumann", "Peter\u00a0Neumann", 1), peterVerifier)
	refuse("no padding", strings.Replace(peter, "=\n", "\n", 1), peterVerifier)
	refuse("a key id without a signature", peterText+"\n— PeterNeumann x08gow==\n", peterVerifier)
	refuse("a short signature", peterText+"\n— PeterNeumann x08go/ZJkuA=\n", peterVerifier)
	refuse("101 signatures", peterText+"\n"+strings.Repeat(peterLine, 101), peterVerifier)

	times := []uint64{0, 1679315147, 1<<63 - 1}
	var cosignatures []cosignatureCase
	for _, text := range []string{checkpoint, checkpoint + "extension line\n"} {
		for _, time := range times {
			lines := strings.SplitAfter(sign(text, cosigner{witness, time}), "\n")
			cosignatures = append(cosignatures, cosignatureCase{witness.Verifier, fmt.Sprint(time), text, lines[len(lines)-2]})
		}
	}
	return map[string]any{"keys": keys, "opened": opened, "refused": refused, "cosignatures": cosignatures}
}

// sign signs with keys of plain signatures, and with signers.
func sign(text string, by ...any) string {
	var signers []note.Signer
	for _, each := range by {
		switch each := each.(type) {
		case keyCase:
			signer, err := note.NewSigner(each.Signer)
			check(err)
			signers = append(signers, signer)
		case note.Signer:
			signers = append(signers, each)
		}
	}
	signed, err := note.Sign(&note.Note{Text: text}, signers...)
	check(err)
	return string(signed)
}

func open(name, text string, verifiers ...string) noteCase {
	opened, err := note.Open([]byte(text), verifierList(verifiers))
	check(err)
	found := noteCase{Name: name, Note: text, Keys: verifiers, Text: opened.Text}
	for _, signature := range opened.Sigs {
		found.Verified = append(found.Verified, fmt.Sprintf("%s+%08x", signature.Name, signature.Hash))
	}
	return found
}

func verifierList(texts []string) note.Verifiers {
	var list []note.Verifier
	for _, each := range texts {
		verifier, err := note.NewVerifier(each)
		check(err)
		list = append(list, verifier)
	}
	return note.VerifierList(list...)
}
