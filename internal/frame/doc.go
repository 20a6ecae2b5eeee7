// Package frame cuts the body of a streamed reply into frames: server-sent
// events, lines of JSON or messages of an AWS event stream. Frames are cut in
// place, over one buffer that grows as needed; nothing is allocated per frame.
//
//	r := frame.NewSSE(body, 0)
//	defer r.Release()
//	for {
//		f, err := r.Next()
//		if err == io.EOF {
//			break
//		}
//		if err != nil {
//			return err
//		}
//		use(f.Data)
//	}
package frame
