package aws

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/sabir-go/sabir/chat"
)

// DefaultService is the name that requests to Bedrock's runtime are signed
// for. Source: aws-sdk-go-v2 service/bedrockruntime, read 2026-11-30.
const DefaultService = "bedrock"

// Config says with what to sign.
type Config struct {
	// Credentials gives the keys; required. They are kept until they expire.
	Credentials sdk.CredentialsProvider
	// Region is where the request goes, such as "eu-west-1". Empty: the one in
	// the host's name.
	Region string
	// Service is the name to sign for; empty: DefaultService.
	Service string
}

// Signer signs requests. It is safe for concurrent use.
type Signer struct {
	credentials sdk.CredentialsProvider
	region      string // before the one in the host's name
	fallback    string // after it
	service     string
	signer      *v4.Signer
}

// New returns a Signer. It does no I/O; what is missing is reported by Sign.
func New(cfg Config) *Signer {
	s := &Signer{credentials: cfg.Credentials, region: cfg.Region, service: cfg.Service, signer: v4.NewSigner()}
	if s.service == "" {
		s.service = DefaultService
	}
	switch s.credentials.(type) {
	case nil, *sdk.CredentialsCache:
	default:
		s.credentials = sdk.NewCredentialsCache(s.credentials)
	}
	return s
}

// FromSDK returns a Signer with the credentials of a configuration of the SDK.
// A region in it counts only where the host's name has none: a request signed
// for another region than that of its host is refused.
func FromSDK(cfg sdk.Config) *Signer {
	s := New(Config{Credentials: cfg.Credentials})
	s.fallback = cfg.Region
	return s
}

// Sign puts the signature of a request into its headers: Authorization, which
// it replaces, X-Amz-Date and, for temporary keys, X-Amz-Security-Token. Apart
// from those the host, the content type and the X-Amz headers that are there
// are signed; others may still be added. The body is signed and must not
// change. A signature is good for a few minutes, so each attempt needs its own.
//
// Errors are of kind [chat.ErrAuth], or [chat.ErrInvalid] for an address that
// is none; whatever the credentials' source said is wrapped.
func (s *Signer) Sign(ctx context.Context, method, address string, header http.Header, body []byte) error {
	if header == nil {
		return chat.Invalid("Header", "there is none to put the signature in")
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return chat.Invalid("URL", "not an address that can be signed")
	}
	region := s.regionOf(u)
	if region == "" {
		return newAuthError("no AWS region: set Config.Region", nil)
	}
	if s.credentials == nil {
		return newAuthError("no AWS credentials: set Config.Credentials", nil)
	}
	keys, err := s.credentials.Retrieve(ctx)
	if err != nil || !keys.HasKeys() {
		return newAuthError("no AWS credentials", err)
	}
	r := &http.Request{Method: method, URL: u, Host: u.Host, Header: signedHeaders(header)}
	return s.signRequest(ctx, keys, r, region, header, body)
}

// signRequest signs r, which has nothing but what is signed, and copies the
// resulting headers to header.
func (s *Signer) signRequest(
	ctx context.Context, keys sdk.Credentials, r *http.Request, region string, header http.Header, body []byte,
) error {
	sum := sha256.Sum256(body)
	err := s.signer.SignHTTP(ctx, keys, r, hex.EncodeToString(sum[:]), s.service, region, time.Now())
	if err != nil {
		return newAuthError("signing failed", err)
	}
	for _, name := range signatureHeaders {
		header.Del(name)
		if v := r.Header.Get(name); v != "" {
			header.Set(name, v)
		}
	}
	return nil
}

var signatureHeaders = [...]string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"}

// signedHeaders returns the headers that nobody on the way changes.
func signedHeaders(h http.Header) http.Header {
	out := make(http.Header)
	for name, values := range h {
		if name == "Content-Type" || strings.HasPrefix(name, "X-Amz-") {
			out[name] = values
		}
	}
	for _, name := range signatureHeaders { // of an attempt before
		out.Del(name)
	}
	return out
}

var regionLabel = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]+$`)

func (s *Signer) regionOf(u *url.URL) string {
	if s.region != "" {
		return s.region
	}
	for label := range strings.SplitSeq(u.Hostname(), ".") {
		if regionLabel.MatchString(label) {
			return label
		}
	}
	return s.fallback
}

func newAuthError(what string, cause error) error {
	if cause != nil && (errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded)) {
		return cause
	}
	return &chat.Error{Kind: chat.ErrAuth, Message: what, Err: cause}
}
