package sim

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// signatureMark begins every signature made here; others come from elsewhere
// and can't be checked.
const signatureMark = "SIMv1\x00"

// signatureKey makes signatures repeatable. It protects nothing.
var signatureKey = []byte("simulated thinking signatures")

// sign seals a thought as shown to the client, together with the hidden one
// and, for models that bind it, the conversation before it.
func sign(family, shown, hidden string, prefix []byte) string {
	payload := signatureHead(family, hidden)
	mac := hmac.New(sha256.New, signatureKey)
	mac.Write(payload)
	mac.Write([]byte(shown))
	mac.Write([]byte{0})
	mac.Write(prefix)
	return base64.StdEncoding.EncodeToString(mac.Sum(payload))
}

// signatureHead is what a signature carries openly: mark, family, and a digest
// of the hidden thought.
func signatureHead(family, hidden string) []byte {
	head := make([]byte, 0, 64)
	head = append(head, signatureMark...)
	fam := sha256.Sum256([]byte(family))
	head = append(head, fam[:4]...)
	text := sha256.Sum256([]byte(hidden))
	return append(head, text[:8]...)
}

const headLength = len(signatureMark) + 4 + 8

// signatureState is what a replayed signature turns out to be.
type signatureState int

const (
	signatureGood    signatureState = iota
	signatureForeign                // made elsewhere, or for another family of models: dropped in silence
	signatureBad
)

// verify checks a replayed thought.
func verify(family, shown, signature string, prefix []byte) signatureState {
	raw, err := base64.StdEncoding.DecodeString(signature)
	switch {
	case err != nil, len(raw) < headLength:
		return signatureBad
	case !bytes.HasPrefix(raw, []byte(signatureMark)):
		return signatureForeign
	case len(raw) != headLength+sha256.Size:
		return signatureBad
	}
	fam := sha256.Sum256([]byte(family))
	if !bytes.Equal(raw[len(signatureMark):len(signatureMark)+4], fam[:4]) {
		return signatureForeign
	}
	mac := hmac.New(sha256.New, signatureKey)
	mac.Write(raw[:headLength])
	mac.Write([]byte(shown))
	mac.Write([]byte{0})
	mac.Write(prefix)
	if hmac.Equal(mac.Sum(nil), raw[headLength:]) {
		return signatureGood
	}
	return signatureBad
}
