package core

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// SignatureMark begins every signature made here; others come from elsewhere
// and can't be checked.
const SignatureMark = "SIMv1\x00"

// signatureKey makes signatures repeatable. It protects nothing.
var signatureKey = []byte("simulated thinking signatures")

// Sign seals a thought as shown to the client, together with the hidden one
// and, for models that bind it, the conversation before it.
func Sign(family, shown, hidden string, prefix []byte) string {
	payload := encodeHead(family, hidden)
	mac := hmac.New(sha256.New, signatureKey)
	mac.Write(payload)
	mac.Write([]byte(shown))
	mac.Write([]byte{0})
	mac.Write(prefix)
	return base64.StdEncoding.EncodeToString(mac.Sum(payload))
}

// encodeHead encodes what a signature carries openly: mark, family, and a
// digest of the hidden thought.
func encodeHead(family, hidden string) []byte {
	head := make([]byte, 0, 64)
	head = append(head, SignatureMark...)
	fam := sha256.Sum256([]byte(family))
	head = append(head, fam[:4]...)
	text := sha256.Sum256([]byte(hidden))
	return append(head, text[:8]...)
}

const headLength = len(SignatureMark) + 4 + 8

// SignatureState is what a replayed signature turns out to be.
type SignatureState int

// The states.
const (
	SignatureGood    SignatureState = iota
	SignatureForeign                // made elsewhere, or for another family of models: dropped in silence
	SignatureBad
)

// Verify checks a replayed thought.
func Verify(family, shown, signature string, prefix []byte) SignatureState {
	raw, err := base64.StdEncoding.DecodeString(signature)
	switch {
	case err != nil, len(raw) < headLength:
		return SignatureBad
	case !bytes.HasPrefix(raw, []byte(SignatureMark)):
		return SignatureForeign
	case len(raw) != headLength+sha256.Size:
		return SignatureBad
	}
	fam := sha256.Sum256([]byte(family))
	if !bytes.Equal(raw[len(SignatureMark):len(SignatureMark)+4], fam[:4]) {
		return SignatureForeign
	}
	mac := hmac.New(sha256.New, signatureKey)
	mac.Write(raw[:headLength])
	mac.Write([]byte(shown))
	mac.Write([]byte{0})
	mac.Write(prefix)
	if hmac.Equal(mac.Sum(nil), raw[headLength:]) {
		return SignatureGood
	}
	return SignatureBad
}
