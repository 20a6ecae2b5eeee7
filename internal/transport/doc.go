// Package transport sends requests to providers: one attempt at a time
// ([Client.Send]), repeated for as long as is safe ([Attempts]). It is the only
// user of resty, which is a pipe here: its retries, timeouts, redirects, cookies
// and body handling are all off, because each of them breaks streams, drops
// bodies or leaks connections.
//
// There is no timeout. The caller's context is the only deadline, and a body
// that stays silent for longer than [Options.Idle] ends with an error.
//
//	client := transport.New(transport.Options{})
//	var err error
//	for attempts := client.Attempts(); attempts.Next(ctx, err); {
//		var resp *transport.Response
//		resp, err = client.Send(ctx, transport.Request{URL: url, Header: header, Body: body})
//		if err == nil {
//			reply, err = resp.ReadAll()
//		}
//	}
package transport
