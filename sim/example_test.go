package sim_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/sim"
)

// A strict server refuses what the provider refuses.
func Example() {
	srv, err := sim.Start(sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	req, err := http.NewRequest(http.MethodPost, srv.BaseURL("deepseek")+"/chat/completions", strings.NewReader(
		`{"model":"deepseek-v4-pro","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"required"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Authorization", "Bearer any key")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	fmt.Println(res.Status, "for", srv.Requests()[0].Model)
	// Output: 400 Bad Request for deepseek-v4-pro
}

// A script says what the model answers; here it is used without a network.
func ExampleServer_RoundTripper() {
	srv := sim.New(sim.Options{Turns: []sim.Turn{sim.Calls("get_weather", map[string]string{"city": "Ghent"}), sim.Says("21 degrees.")}})
	client := &http.Client{Transport: srv.RoundTripper()}
	req, err := http.NewRequest(http.MethodPost, srv.BaseURL("acme")+"/chat/completions",
		strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"Weather?"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Authorization", "Bearer any key")
	res, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	fmt.Println(res.StatusCode, res.Header.Get("Content-Type"))
	// Output: 200 application/json
}
