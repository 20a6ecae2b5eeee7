package wire

// SignedAs is the kind of the token that a slot's part holds; empty if it holds
// none.
func (a *Assembly) SignedAs(slot int) string {
	if p := a.slots[slot]; p != nil {
		return p.sigKind
	}
	return ""
}
