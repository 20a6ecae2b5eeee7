// Package jsondoc reads and writes JSON whose form isn't known beforehand.
package jsondoc
