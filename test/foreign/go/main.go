// Notes, logs and witnesses as the packages of the Go checksum database see them (golang.org/x/mod/sumdb/note and
// tlog). The tests compare Colophon with this program: it reads one JSON request a line and writes one JSON answer a
// line. Only cosignatures (C2SP tlog-cosignature) and the layout of files (C2SP tlog-tiles) are not those packages'.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8

type request struct {
	Do      string   `json:"do"`
	Note    string   `json:"note"`
	Keys    []string `json:"keys"`
	Name    string   `json:"name"`
	Seed    []byte   `json:"seed"`
	Text    string   `json:"text"`
	Time    uint64   `json:"time"`
	URL     string   `json:"url"`
	Folder  string   `json:"folder"`
	Entries []string `json:"entries"`
	Sizes   []int64  `json:"sizes"`
	// Sizes up to which a fork of the log has the same entries.
	Fork  int64    `json:"fork"`
	Proof []string `json:"proof"`
	Tree  int64    `json:"tree"`
	Root  string   `json:"root"`
	Index int64    `json:"index"`
	Leaf  string   `json:"leaf"`
}

type signature struct {
	Key  string `json:"key"`
	Time uint64 `json:"time"`
}

type answer struct {
	Error      string      `json:"error,omitempty"`
	Text       string      `json:"text,omitempty"`
	Note       string      `json:"note,omitempty"`
	Key        string      `json:"key,omitempty"`
	Signed     []signature `json:"signed,omitempty"`
	Unverified int         `json:"unverified,omitempty"`
	Size       int64       `json:"size,omitempty"`
	Root       string      `json:"root,omitempty"`
	Leaves     []string    `json:"leaves,omitempty"`
	Inclusion  [][]string  `json:"inclusion,omitempty"`
	Trees      []tree      `json:"trees,omitempty"`
	Steps      []step      `json:"steps,omitempty"`
}

// An earlier tree of a log, and the proof that the log's tree begins with it.
type tree struct {
	Size  int64    `json:"size"`
	Root  string   `json:"root"`
	Proof []string `json:"proof"`
}

// What a witness answered.
type step struct {
	Size   int64       `json:"size"`
	Status int         `json:"status"`
	Type   string      `json:"type"`
	Body   string      `json:"body"`
	Signed []signature `json:"signed"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var r request
			var a answer
			if failed := json.Unmarshal(line, &r); failed != nil {
				a.Error = failed.Error()
			} else {
				a = run(r)
			}
			json.NewEncoder(out).Encode(a)
			out.Flush()
		}
		if err != nil {
			return
		}
	}
}

func run(r request) answer {
	var a answer
	var err error
	switch r.Do {
	case "open":
		a, err = open(r.Note, r.Keys)
	case "sign":
		a, err = sign(r)
	case "read":
		a, err = readLog(r)
	case "write":
		a, err = writeLog(r)
	case "witness":
		a, err = askWitness(r)
	case "record":
		err = tlog.CheckRecord(hashes(r.Proof), r.Tree, hash(r.Root), r.Index, hash(r.Leaf))
	case "tree":
		err = tlog.CheckTree(hashes(r.Proof), r.Tree, hash(r.Root), r.Index, hash(r.Leaf))
	default:
		err = fmt.Errorf("unknown request %q", r.Do)
	}
	if err != nil {
		a = answer{Error: err.Error()}
	}
	return a
}

// cosignature is the key of a witness: signature type 0x04 of C2SP tlog-cosignature.
type cosignature struct {
	name   string
	hash   uint32
	public ed25519.PublicKey
	secret ed25519.PrivateKey
	time   uint64
}

func newCosignature(name string, public ed25519.PublicKey) *cosignature {
	sum := sha256.Sum256(append([]byte(name+"\n\x04"), public...))
	return &cosignature{name: name, hash: binary.BigEndian.Uint32(sum[:4]), public: public}
}

func (c *cosignature) Name() string    { return c.name }
func (c *cosignature) KeyHash() uint32 { return c.hash }

func (c *cosignature) Verify(text, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	return ed25519.Verify(c.public, timed(binary.BigEndian.Uint64(sig), text), sig[8:])
}

func (c *cosignature) Sign(text []byte) ([]byte, error) {
	sig := make([]byte, 8)
	binary.BigEndian.PutUint64(sig, c.time)
	return append(sig, ed25519.Sign(c.secret, timed(c.time, text))...), nil
}

func timed(time uint64, text []byte) []byte {
	return []byte(fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, text))
}

func verifier(vkey string) (note.Verifier, error) {
	name, rest, _ := strings.Cut(vkey, "+")
	id, encoded, _ := strings.Cut(rest, "+")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != 33 || key[0] != 4 {
		return note.NewVerifier(vkey)
	}
	c := newCosignature(name, key[1:])
	if fmt.Sprintf("%08x", c.hash) != id {
		return nil, fmt.Errorf("the key id of %s is wrong", name)
	}
	return c, nil
}

func open(text string, keys []string) (answer, error) {
	var known []note.Verifier
	for _, key := range keys {
		v, err := verifier(key)
		if err != nil {
			return answer{}, err
		}
		known = append(known, v)
	}
	n, err := note.Open([]byte(text), note.VerifierList(known...))
	if err != nil {
		return answer{}, err
	}
	a := answer{Text: n.Text, Unverified: len(n.UnverifiedSigs)}
	for _, s := range n.Sigs {
		a.Signed = append(a.Signed, signature{fmt.Sprintf("%s+%08x", s.Name, s.Hash), timeOf(s)})
	}
	return a, nil
}

// timeOf reads the time of a cosignature; a plain signature has none.
func timeOf(s note.Signature) uint64 {
	sig, _ := base64.StdEncoding.DecodeString(s.Base64)
	if len(sig) != 4+8+ed25519.SignatureSize {
		return 0
	}
	return binary.BigEndian.Uint64(sig[4:])
}

func signer(name string, seed []byte) (note.Signer, string, error) {
	secret := ed25519.NewKeyFromSeed(seed)
	vkey, err := note.NewEd25519VerifierKey(name, secret.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, "", err
	}
	id := strings.Split(vkey, "+")[1]
	typed := append([]byte{1}, seed...)
	s, err := note.NewSigner("PRIVATE+KEY+" + name + "+" + id + "+" + base64.StdEncoding.EncodeToString(typed))
	return s, vkey, err
}

// sign signs a text, or with a time adds a cosignature to a note.
func sign(r request) (answer, error) {
	if r.Time == 0 {
		s, vkey, err := signer(r.Name, r.Seed)
		if err != nil {
			return answer{}, err
		}
		signed, err := note.Sign(&note.Note{Text: r.Text}, s)
		return answer{Note: string(signed), Key: vkey}, err
	}
	secret := ed25519.NewKeyFromSeed(r.Seed)
	c := newCosignature(r.Name, secret.Public().(ed25519.PublicKey))
	c.secret, c.time = secret, r.Time
	signed, err := note.Sign(&note.Note{Text: r.Text}, c)
	typed := append([]byte{4}, c.public...)
	key := fmt.Sprintf("%s+%08x+%s", c.name, c.hash, base64.StdEncoding.EncodeToString(typed))
	return answer{Note: string(signed), Key: key}, err
}

// A checkpoint (C2SP tlog-checkpoint) is what tlog.FormatTree writes, under the log's origin instead of its first line.
const treeLine = "go.sum database tree\n"

func checkpoint(origin string, t tlog.Tree) string {
	return origin + "\n" + strings.TrimPrefix(string(tlog.FormatTree(t)), treeLine)
}

func parseCheckpoint(text string) (tlog.Tree, error) {
	_, rest, _ := strings.Cut(text, "\n")
	return tlog.ParseTree([]byte(treeLine + rest))
}

// tiles reads the tiles of a running log.
type tiles struct{ base string }

func (t tiles) Height() int { return tileHeight }

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t tiles) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range list {
		read, err := get(t.base + "/" + path(tile))
		if err != nil {
			return nil, err
		}
		data = append(data, read)
	}
	return data, nil
}

// path leaves out the height, which C2SP tlog-tiles fixes.
func path(tile tlog.Tile) string {
	return strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight), "tile/", 1)
}

func get(url string) ([]byte, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return io.ReadAll(response.Body)
}

// readLog reads a whole log: its checkpoint, its tiles, its entries, and all proofs that its tiles give.
func readLog(r request) (answer, error) {
	signed, err := get(r.URL + "/checkpoint")
	if err != nil {
		return answer{}, err
	}
	a, err := open(string(signed), r.Keys)
	if err != nil {
		return answer{}, err
	}
	t, err := parseCheckpoint(a.Text)
	if err != nil {
		return answer{}, err
	}
	a.Size, a.Root = t.N, t.Hash.String()
	reader := tlog.TileHashReader(t, tiles{r.URL})
	if root, err := tlog.TreeHash(t.N, reader); err != nil || root != t.Hash {
		return a, fmt.Errorf("the tiles do not lead to the signed root: %v", err)
	}
	var indexes []int64
	for i := int64(0); i < t.N; i++ {
		indexes = append(indexes, tlog.StoredHashIndex(0, i))
	}
	leaves, err := reader.ReadHashes(indexes)
	if err != nil {
		return a, err
	}
	entries, err := readEntries(r.URL, t.N)
	if err != nil {
		return a, err
	}
	for i, leaf := range leaves {
		if tlog.RecordHash(entries[i]) != leaf {
			return a, fmt.Errorf("entry %d does not hash to its leaf", i)
		}
		a.Leaves = append(a.Leaves, leaf.String())
		proof, err := tlog.ProveRecord(t.N, int64(i), reader)
		if err != nil {
			return a, err
		}
		if err := tlog.CheckRecord(proof, t.N, t.Hash, int64(i), leaf); err != nil {
			return a, err
		}
		a.Inclusion = append(a.Inclusion, written(proof))
	}
	for _, size := range r.Sizes {
		root, err := tlog.TreeHash(size, reader)
		if err != nil {
			return a, err
		}
		proof, err := tlog.ProveTree(t.N, size, reader)
		if err != nil {
			return a, err
		}
		if err := tlog.CheckTree(proof, t.N, t.Hash, size, root); err != nil {
			return a, err
		}
		a.Trees = append(a.Trees, tree{size, root.String(), written(proof)})
	}
	return a, nil
}

// readEntries reads the bundles: entries with their length in two bytes before each.
func readEntries(base string, size int64) ([][]byte, error) {
	var entries [][]byte
	for n := int64(0); n*256 < size; n++ {
		tile := tlog.Tile{H: tileHeight, L: 0, N: n, W: 256}
		if rest := size - n*256; rest < 256 {
			tile.W = int(rest)
		}
		data, err := get(base + "/" + bundlePath(tile))
		if err != nil {
			return nil, err
		}
		for len(data) > 0 {
			length := 2 + int(binary.BigEndian.Uint16(data))
			entries = append(entries, data[2:length])
			data = data[length:]
		}
	}
	if int64(len(entries)) != size {
		return nil, fmt.Errorf("the bundles hold %d entries, not %d", len(entries), size)
	}
	return entries, nil
}

func bundlePath(tile tlog.Tile) string {
	return strings.Replace(path(tile), "tile/0/", "tile/entries/", 1)
}

// stored is a log in memory, in the order of tlog.StoredHashIndex.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var found []tlog.Hash
	for _, i := range indexes {
		found = append(found, s[i])
	}
	return found, nil
}

func (s *stored) add(n int64, entry []byte) error {
	added, err := tlog.StoredHashes(n, entry, *s)
	*s = append(*s, added...)
	return err
}

// writeLog writes every file of a log with these entries.
func writeLog(r request) (answer, error) {
	var log stored
	for i, entry := range r.Entries {
		if err := log.add(int64(i), []byte(entry)); err != nil {
			return answer{}, err
		}
	}
	size := int64(len(r.Entries))
	root, err := tlog.TreeHash(size, log)
	if err != nil {
		return answer{}, err
	}
	s, vkey, err := signer(r.Name, r.Seed)
	if err != nil {
		return answer{}, err
	}
	signed, err := note.Sign(&note.Note{Text: checkpoint(r.Name, tlog.Tree{N: size, Hash: root})}, s)
	if err != nil {
		return answer{}, err
	}
	files := map[string][]byte{"checkpoint": signed, ".well-known/colophon-key": []byte(vkey + "\n")}
	for _, tile := range tlog.NewTiles(tileHeight, 0, size) {
		data, err := tlog.ReadTileData(tile, log)
		if err != nil {
			return answer{}, err
		}
		files[path(tile)] = data
		if tile.L > 0 {
			continue
		}
		var bundle bytes.Buffer
		for _, entry := range r.Entries[tile.N*256 : tile.N*256+int64(tile.W)] {
			binary.Write(&bundle, binary.BigEndian, uint16(len(entry)))
			bundle.WriteString(entry)
		}
		files[bundlePath(tile)] = bundle.Bytes()
	}
	for name, data := range files {
		file := filepath.Join(r.Folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return answer{}, err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return answer{}, err
		}
	}
	return answer{Size: size, Root: root.String(), Key: vkey, Note: string(signed)}, nil
}

// askWitness asks a witness to cosign a log at each of these sizes in turn, always proving from the size before, and
// opens every answer with the witness's keys. From the size `fork` on the entries are others.
func askWitness(r request) (answer, error) {
	s, vkey, err := signer(r.Name, r.Seed)
	if err != nil {
		return answer{}, err
	}
	client := &http.Client{Timeout: 10 * time.Second}
	a := answer{Key: vkey}
	before := r.Index
	for _, size := range r.Sizes {
		var log stored
		for i := int64(0); i < size; i++ {
			entry := fmt.Sprintf("entry %d", i)
			if r.Fork > 0 && i >= r.Fork {
				entry = fmt.Sprintf("another entry %d", i)
			}
			if err := log.add(i, []byte(entry)); err != nil {
				return a, err
			}
		}
		root, err := tlog.TreeHash(size, log)
		if err != nil {
			return a, err
		}
		var proof tlog.TreeProof
		if before > 0 && before < size {
			if proof, err = tlog.ProveTree(size, before, log); err != nil {
				return a, err
			}
		}
		text := checkpoint(r.Name, tlog.Tree{N: size, Hash: root})
		signed, err := note.Sign(&note.Note{Text: text}, s)
		if err != nil {
			return a, err
		}
		var body strings.Builder
		body.WriteString("old " + strconv.FormatInt(before, 10) + "\n")
		for _, line := range written(proof) {
			body.WriteString(line + "\n")
		}
		body.WriteString("\n" + string(signed))
		response, err := client.Post(r.URL, "text/plain; charset=utf-8", strings.NewReader(body.String()))
		if err != nil {
			return a, err
		}
		answered, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return a, err
		}
		done := step{Size: size, Status: response.StatusCode, Type: response.Header.Get("Content-Type")}
		if response.StatusCode == 200 {
			opened, err := open(string(signed)+string(answered), append([]string{vkey}, r.Keys...))
			if err != nil {
				return a, err
			}
			done.Signed = opened.Signed
			before = size
		} else {
			done.Body = string(answered)
		}
		a.Steps = append(a.Steps, done)
	}
	return a, nil
}

func written(list []tlog.Hash) []string {
	texts := []string{}
	for _, h := range list {
		texts = append(texts, h.String())
	}
	return texts
}

func hashes(texts []string) []tlog.Hash {
	var list []tlog.Hash
	for _, text := range texts {
		list = append(list, hash(text))
	}
	return list
}

func hash(text string) tlog.Hash {
	h, err := tlog.ParseHash(text)
	if err != nil {
		panic(err)
	}
	return h
}
