package bedrock

import (
	"encoding/binary"
	"hash/crc32"
)

// Lengths in bytes of what is around headers and payload.
const (
	preludeLength = 12
	frameSum      = 4
)

// textHeader is the type of a header whose value is a text.
const textHeader = 7

// encodeFrame writes a message of AWS's event stream: a prelude of two lengths
// with their checksum, headers, payload, and a checksum of all. Source: Smithy,
// "Amazon Event Stream", read 2026-11-30.
func encodeFrame(headers [][2]string, payload []byte) []byte {
	var h []byte
	for _, nv := range headers {
		h = append(h, byte(len(nv[0]))) //nolint:gosec // names of headers, far below 256 bytes
		h = append(h, nv[0]...)
		h = append(h, textHeader)
		h = binary.BigEndian.AppendUint16(h, uint16(len(nv[1]))) //nolint:gosec // names of events, far below 64 KiB
		h = append(h, nv[1]...)
	}
	total := preludeLength + len(h) + len(payload) + frameSum
	b := make([]byte, 0, total)
	b = binary.BigEndian.AppendUint32(b, uint32(total))  //nolint:gosec // one delta, far below 4 GiB
	b = binary.BigEndian.AppendUint32(b, uint32(len(h))) //nolint:gosec // the same
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(b, h...)
	b = append(b, payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
