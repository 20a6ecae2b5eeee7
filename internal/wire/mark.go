package wire

// FindMark finds the first of several marks, such as tags, in a text that
// comes in pieces. If one is there, whole, which is its number and at its
// place. If none is, which is -1, and at is where an ending begins that may
// become one when more text comes; it is len(b) if there is no such ending.
// Where two marks begin at the same place, the one listed first wins.
func FindMark(b []byte, marks ...string) (at, which int) {
	for i := range b {
		open := false
		for n, mark := range marks {
			if mark == "" || b[i] != mark[0] {
				continue
			}
			switch rest := b[i:]; {
			case len(rest) >= len(mark):
				if string(rest[:len(mark)]) == mark {
					if open { // a longer mark may begin here: wait for it
						return i, -1
					}
					return i, n
				}
			case string(rest) == mark[:len(rest)]:
				open = true
			}
		}
		if open {
			return i, -1
		}
	}
	return len(b), -1
}
