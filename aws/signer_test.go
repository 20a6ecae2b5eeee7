package aws_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"

	"github.com/sabir-go/sabir/aws"
	"github.com/sabir-go/sabir/chat"
)

// The keys and the time of AWS's published test suite for Signature Version 4.
const (
	exampleKey    = "AKIDEXAMPLE"
	exampleSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	exampleToken  = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI" +
		"/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT" +
		"38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
)

// Sign is what the engines' Config.Sign wants.
var _ func(ctx context.Context, method, url string, header http.Header, body []byte) error = (*aws.Signer)(nil).Sign

var exampleTime = time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)

func keys(token string) sdk.CredentialsProvider {
	return sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) {
		return sdk.Credentials{AccessKeyID: exampleKey, SecretAccessKey: exampleSecret, SessionToken: token}, nil
	})
}

// atExampleTime runs f at the time of the test suite.
func atExampleTime(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		time.Sleep(time.Until(exampleTime))
		f(t)
	})
}

// The published signatures. Source: AWS General Reference, "Signature Version
// 4 test suite", read 2026-11-30.
func TestPublishedVectors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, url, token string
		header             http.Header
		body               string
		signed, signature  string
	}{
		"get-vanilla":        {"GET", "https://example.amazonaws.com/", "", http.Header{}, "", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		"post-vanilla":       {"POST", "https://example.amazonaws.com/", "", http.Header{}, "", "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		"post-x-www-form":    {"POST", "https://example.amazonaws.com/", "", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, "Param1=value1", "content-type;host;x-amz-date", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
		"post-vanilla-query": {"POST", "https://example.amazonaws.com/?Param1=value1", "", http.Header{}, "", "host;x-amz-date", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
		"post-sts-token":     {"POST", "https://example.amazonaws.com/", exampleToken, http.Header{}, "", "host;x-amz-date;x-amz-security-token", "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atExampleTime(t, func(t *testing.T) {
				t.Helper()
				s := aws.New(aws.Config{Credentials: keys(tt.token), Region: "us-east-1", Service: "service"})
				if err := s.Sign(t.Context(), tt.method, tt.url, tt.header, []byte(tt.body)); err != nil {
					t.Fatal(err)
				}
				want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" +
					tt.signed + ", Signature=" + tt.signature
				if got := tt.header.Get("Authorization"); got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
				if d := tt.header.Get("X-Amz-Date"); d != "20150830T123600Z" {
					t.Errorf("date %s", d)
				}
				if tt.header.Get("X-Amz-Security-Token") != tt.token {
					t.Error("the token isn't sent")
				}
			})
		})
	}
}

const (
	converse = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse"
	profile  = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.x/converse-stream"
)

// Requests to Bedrock are signed as the specification says, worked out here
// once more: the path is escaped a second time.
func TestBedrock(t *testing.T) {
	t.Parallel()
	for _, address := range []string{converse, profile} {
		atExampleTime(t, func(t *testing.T) {
			t.Helper()
			header := http.Header{
				"Content-Type": {"application/json"}, "Accept": {"application/json"}, "User-Agent": {"x"}, "Authorization": {"Bearer old"},
			}
			body := []byte(`{"messages":[]}`)
			s := aws.FromSDK(sdk.Config{Credentials: keys(""), Region: "us-east-1"})
			if err := s.Sign(t.Context(), "POST", address, header, body); err != nil {
				t.Fatal(err)
			}
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/bedrock/aws4_request, " +
				"SignedHeaders=content-type;host;x-amz-date, Signature=" + signature(t, address, "eu-west-1", "bedrock", body)
			if got := header["Authorization"]; !slices.Equal(got, []string{want}) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// signature is the specification in its plainest form. Source: AWS IAM User
// Guide, "Create a signed AWS API request", read 2026-11-30.
func signature(t *testing.T, address, region, service string, body []byte) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	hash := func(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) }
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		_, _ = h.Write([]byte(text))
		return h.Sum(nil)
	}
	path := strings.ReplaceAll(u.EscapedPath(), "%", "%25")
	canonical := strings.Join([]string{
		"POST", path, "", "content-type:application/json", "host:" + u.Host, "x-amz-date:20150830T123600Z", "",
		"content-type;host;x-amz-date", hash(body),
	}, "\n")
	scope := "20150830/" + region + "/" + service + "/aws4_request"
	key := []byte("AWS4" + exampleSecret)
	for step := range strings.SplitSeq(scope, "/") {
		key = mac(key, step)
	}
	return hex.EncodeToString(mac(key, "AWS4-HMAC-SHA256\n20150830T123600Z\n"+scope+"\n"+hash([]byte(canonical))))
}

// An attempt later has another time, and the same headers can be signed again.
func TestSignsAgain(t *testing.T) {
	t.Parallel()
	atExampleTime(t, func(t *testing.T) {
		t.Helper()
		header := http.Header{"X-Amz-Meta": {"a"}}
		s := aws.New(aws.Config{Credentials: keys("token")})
		if err := s.Sign(t.Context(), "POST", converse, header, nil); err != nil {
			t.Fatal(err)
		}
		first := maps.Clone(header)
		time.Sleep(time.Minute)
		if err := s.Sign(t.Context(), "POST", converse, header, nil); err != nil {
			t.Fatal(err)
		}
		if header.Get("X-Amz-Date") != "20150830T123700Z" || header.Get("Authorization") == first.Get("Authorization") {
			t.Errorf("got %v", header)
		}
		if !strings.Contains(header.Get("Authorization"), "SignedHeaders=host;x-amz-date;x-amz-meta;x-amz-security-token,") {
			t.Errorf("signed: %s", header.Get("Authorization"))
		}
		plain := aws.New(aws.Config{Credentials: keys("")})
		if err := plain.Sign(t.Context(), "POST", converse, header, nil); err != nil || header.Get("X-Amz-Security-Token") != "" {
			t.Errorf("the old token stays: %v, %v", header, err)
		}
	})
}

func TestRegion(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		signer  *aws.Signer
		address string
		want    string
	}{
		"of the host":           {aws.New(aws.Config{Credentials: keys("")}), converse, "eu-west-1"},
		"of a FIPS host":        {aws.New(aws.Config{Credentials: keys("")}), "https://bedrock-runtime-fips.us-gov-east-1.amazonaws.com/", "us-gov-east-1"},
		"of a private host":     {aws.New(aws.Config{Credentials: keys("")}), "https://vpce-0a1b.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com/", "ap-southeast-2"},
		"configured":            {aws.New(aws.Config{Credentials: keys(""), Region: "us-west-2"}), converse, "us-west-2"},
		"of the SDK, no host's": {aws.FromSDK(sdk.Config{Credentials: keys(""), Region: "us-west-2"}), "http://127.0.0.1:8080/x", "us-west-2"},
		"of the SDK, the host":  {aws.FromSDK(sdk.Config{Credentials: keys(""), Region: "us-west-2"}), converse, "eu-west-1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			if err := tt.signer.Sign(t.Context(), "POST", tt.address, header, nil); err != nil {
				t.Fatal(err)
			}
			if got := header.Get("Authorization"); !strings.Contains(got, "/"+tt.want+"/bedrock/aws4_request") {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	expired := errors.New("the session has expired")
	failing := func(err error) sdk.CredentialsProvider {
		return sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) { return sdk.Credentials{}, err })
	}
	tests := map[string]struct {
		cfg     aws.Config
		address string
		header  http.Header
		want    error
	}{
		"no credentials":      {aws.Config{}, converse, http.Header{}, chat.ErrAuth},
		"credentials fail":    {aws.Config{Credentials: failing(expired)}, converse, http.Header{}, chat.ErrAuth},
		"why they fail":       {aws.Config{Credentials: failing(expired)}, converse, http.Header{}, expired},
		"empty credentials":   {aws.Config{Credentials: failing(nil)}, converse, http.Header{}, chat.ErrAuth},
		"called off":          {aws.Config{Credentials: failing(context.Canceled)}, converse, http.Header{}, context.Canceled},
		"no region":           {aws.Config{Credentials: keys("")}, "https://proxy.example/", http.Header{}, chat.ErrAuth},
		"no address":          {aws.Config{Credentials: keys("")}, "/model", http.Header{}, chat.ErrInvalid},
		"a broken address":    {aws.Config{Credentials: keys("")}, "https://a b/", http.Header{}, chat.ErrInvalid},
		"nowhere to write it": {aws.Config{Credentials: keys("")}, converse, nil, chat.ErrInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := aws.New(tt.cfg).Sign(t.Context(), "POST", tt.address, tt.header, nil)
			if !errors.Is(err, tt.want) || len(tt.header) > 0 {
				t.Errorf("got %v, headers %v", err, tt.header)
			}
			if err != nil && strings.Contains(err.Error(), exampleSecret) {
				t.Error("the secret is in the error")
			}
		})
	}
}

// Credentials are fetched once, and again when they have expired.
func TestCredentialsAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fetched := 0
		s := aws.New(aws.Config{Credentials: sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) {
			fetched++
			return sdk.Credentials{
				AccessKeyID: exampleKey, SecretAccessKey: exampleSecret, CanExpire: true, Expires: time.Now().Add(time.Hour),
			}, nil
		})})
		for i, want := range []int{1, 1, 2} {
			if i == 2 {
				time.Sleep(2 * time.Hour)
			}
			if err := s.Sign(t.Context(), "POST", converse, http.Header{}, nil); err != nil || fetched != want {
				t.Errorf("signature %d: fetched %d times, %v", i, fetched, err)
			}
		}
	})
}
