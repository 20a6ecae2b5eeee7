package rawjson

// Writer builds one JSON document by appending to Buf; the commas come by
// themselves. The zero Writer is ready; give Buf some capacity to save
// allocations. Nothing checks that the calls make a document: every Key needs
// one value, every Object its EndObject.
//
// Values written side by side outside of any container are separated by
// commas too, so a run of members or elements can be built on its own.
type Writer struct {
	// Buf holds what was written. It may start with bytes of the caller's.
	Buf   []byte
	comma bool // a value stands before this place
}

// Object starts an object.
func (w *Writer) Object() { w.openContainer('{') }

// EndObject ends the innermost object.
func (w *Writer) EndObject() { w.closeContainer('}') }

// Array starts an array.
func (w *Writer) Array() { w.openContainer('[') }

// EndArray ends the innermost array.
func (w *Writer) EndArray() { w.closeContainer(']') }

func (w *Writer) openContainer(c byte) {
	w.writeComma()
	w.Buf = append(w.Buf, c)
	w.comma = false
}

func (w *Writer) closeContainer(c byte) {
	w.Buf = append(w.Buf, c)
	w.comma = true
}

// Key starts a member. The name is written as it is: it must be a literal that
// needs no escapes.
func (w *Writer) Key(name string) {
	w.writeComma()
	w.Buf = append(w.Buf, '"')
	w.Buf = append(w.Buf, name...)
	w.Buf = append(w.Buf, '"', ':')
	w.comma = false
}

// KeyString starts a member whose name can be any text.
func (w *Writer) KeyString(name string) {
	w.writeComma()
	w.Buf = append(AppendString(w.Buf, name), ':')
	w.comma = false
}

// String writes s as AppendString does.
func (w *Writer) String(s string) {
	w.writeComma()
	w.Buf = AppendString(w.Buf, s)
}

// Int writes n.
func (w *Writer) Int(n int) { w.Int64(int64(n)) }

// Int64 writes n.
func (w *Writer) Int64(n int64) {
	w.writeComma()
	w.Buf = AppendInt(w.Buf, n)
}

// Float writes f as AppendFloat does: NaN and infinities become null.
func (w *Writer) Float(f float64) {
	w.writeComma()
	w.Buf = AppendFloat(w.Buf, f)
}

// Bool writes b.
func (w *Writer) Bool(b bool) {
	w.writeComma()
	w.Buf = AppendBool(w.Buf, b)
}

// Null writes null.
func (w *Writer) Null() {
	w.writeComma()
	w.Buf = append(w.Buf, "null"...)
}

// Raw writes a value that is JSON already, unchanged and unchecked. Nothing at
// all counts as null.
func (w *Writer) Raw(json []byte) {
	if len(json) == 0 {
		w.Null()
		return
	}
	w.writeComma()
	w.Buf = append(w.Buf, json...)
}

// Str writes a member that is a string.
func (w *Writer) Str(name, s string) {
	w.Key(name)
	w.String(s)
}

// StrIf is Str for a string that isn't empty.
func (w *Writer) StrIf(name, s string) {
	if s != "" {
		w.Str(name, s)
	}
}

// Num writes a member that is a number.
func (w *Writer) Num(name string, n int) {
	w.Key(name)
	w.Int(n)
}

// NumIf is Num for a number above 0.
func (w *Writer) NumIf(name string, n int) {
	if n > 0 {
		w.Num(name, n)
	}
}

// Flag writes a member that is true or false.
func (w *Writer) Flag(name string, b bool) {
	w.Key(name)
	w.Bool(b)
}

// JSON writes a member whose value is written as Raw does.
func (w *Writer) JSON(name string, raw []byte) {
	w.Key(name)
	w.Raw(raw)
}

// Obj starts a member that is an object.
func (w *Writer) Obj(name string) {
	w.Key(name)
	w.Object()
}

// List starts a member that is an array.
func (w *Writer) List(name string) {
	w.Key(name)
	w.Array()
}

// writeComma writes the comma before a value or a key, if one is due, and notes
// that a value stands here.
func (w *Writer) writeComma() {
	if w.comma {
		w.Buf = append(w.Buf, ',')
	}
	w.comma = true
}
