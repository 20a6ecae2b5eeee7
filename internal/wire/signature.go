package wire

import "strings"

// Resign rewrites the token that a slot's part holds, for wires that send it
// in fragments which can't simply be joined. Nothing happens where there is no
// token.
func (a *Assembly) Resign(slot int, rewrite func(data string) string) {
	p := a.slots[slot]
	if p == nil || p.sig.Len() == 0 {
		return
	}
	data := rewrite(p.sig.String())
	p.sig = strings.Builder{}
	p.sig.WriteString(data)
}
