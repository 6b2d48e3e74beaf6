package access

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/codemode-go/codemode/mcpserver/internal/issuer"
)

const audience = "https://mcp.example/mcp"

// verifying is a Verifier of an issuer's tokens, with a clock that can be put forward.
func verifying(t *testing.T, as *issuer.Server, options Options) (v *Verifier, later func(time.Duration)) {
	t.Helper()
	as.Audience = audience
	options.Issuers = append(options.Issuers, Issuer{URL: as.URL})
	options.Audiences = []string{audience, "other name"}
	v = New(&options)
	t.Cleanup(v.Close)
	var ahead atomic.Int64
	v.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	return v, func(d time.Duration) { ahead.Add(int64(d)) }
}

func TestTokensThatCount(t *testing.T) {
	as := issuer.New(t)
	v, _ := verifying(t, as, Options{Scopes: []string{"mcp"}})
	for _, algorithm := range []jose.SignatureAlgorithm{jose.ES256, jose.RS256, jose.EdDSA} {
		as.AddKey(algorithm)
	}
	v.Prepare()
	for name, claims := range map[string]map[string]any{
		"scope": {"scope": "a mcp b"}, "list of scopes": {"scope": []string{"mcp"}}, "scp": {"scp": []string{"mcp"}},
		"several audiences": {"scope": "mcp", "aud": []string{"x", "other name"}}, "clock": {"scope": "mcp", "nbf": time.Now().Add(10 * time.Second).Unix()},
		"just over": {"scope": "mcp", "exp": time.Now().Add(-10 * time.Second).Unix()},
	} {
		who, err := v.Verify(t.Context(), as.Token(claims))
		if err != nil || who.Subject != "alice" || who.Issuer != as.URL {
			t.Errorf("%s: %+v %v", name, who, err)
		}
	}
	for _, kind := range []jose.ContentType{"at+jwt", "application/at+jwt", "JWT"} {
		key := as.Key()
		token := issuer.Sign(t, jose.SignatureAlgorithm(key.Algorithm), key, kind, map[string]any{"iss": as.URL, "sub": "bob", "aud": audience, "exp": time.Now().Add(time.Minute).Unix(), "scope": "mcp"})
		if who, err := v.Verify(t.Context(), token); err != nil || who.Subject != "bob" {
			t.Errorf("%s: %+v %v", kind, who, err)
		}
	}
	if got := as.Reads(); got != 1 {
		t.Errorf("the keys were read %d times", got)
	}
}

func TestTokensThatDoNotCount(t *testing.T) {
	as, stranger := issuer.New(t), issuer.New(t)
	v, _ := verifying(t, as, Options{})
	rsaKey := as.AddKey(jose.RS256)
	good := as.Token(nil)
	key := as.Key()
	public := key.Public()
	usual := map[string]any{"iss": as.URL, "sub": "alice", "aud": audience, "exp": time.Now().Add(time.Hour).Unix()}
	der, err := x509.MarshalPKIXPublicKey(public.Key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(public)
	if err != nil {
		t.Fatal(err)
	}
	// A token that brings the key that it is signed with.
	own := stranger.Key()
	brings, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: own.Key}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	payload, _ := json.Marshal(usual)
	signed, err := brings.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	embedded, _ := signed.CompactSerialize()
	parts := strings.Split(good, ".")
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
	for name, tt := range map[string]struct{ token, want string }{
		"another audience":                {as.Token(map[string]any{"aud": "https://other.example/mcp"}), "another audience"},
		"no audience":                     {as.Token(map[string]any{"aud": nil}), "another audience"},
		"expired":                         {as.Token(map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}), "expired"},
		"no expiry":                       {as.Token(map[string]any{"exp": nil}), "no expiry"},
		"not yet":                         {as.Token(map[string]any{"nbf": time.Now().Add(time.Minute).Unix()}), "not valid yet"},
		"of the future":                   {as.Token(map[string]any{"iat": time.Now().Add(time.Minute).Unix()}), "not valid yet"},
		"no subject":                      {as.Token(map[string]any{"sub": nil}), "no subject"},
		"claims of the wrong":             {as.Token(map[string]any{"scope": 1}), "no claims of the right form"},
		"another issuer":                  {as.Token(map[string]any{"iss": "https://other.example"}), "another issuer"},
		"a slash more":                    {as.Token(map[string]any{"iss": as.URL + "/"}), "another issuer"},
		"a stranger's key":                {issuer.Sign(t, jose.ES256, stranger.Key(), "at+jwt", usual), "a key that its issuer does not have"},
		"a stranger's key under our name": {issuer.Sign(t, jose.ES256, jose.JSONWebKey{Key: own.Key, KeyID: key.KeyID}, "at+jwt", usual), "a key that its issuer does not have"},
		"a stranger's RSA key":            {issuer.Sign(t, jose.RS256, jose.JSONWebKey{Key: newRSA(t, 2048), KeyID: rsaKey.KeyID}, "at+jwt", usual), "signature"},
		"its own key":                     {embedded, "signature"},
		"no algorithm":                    {unsigned, "no JWT"},
		"no algorithm, signed":            {unsigned + parts[2], "no JWT"},
		"secret of the PEM":               {issuer.Sign(t, jose.HS256, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), "at+jwt", usual), "no JWT"},
		"secret of the DER":               {issuer.Sign(t, jose.HS256, der, "at+jwt", usual), "no JWT"},
		"secret of the JWK":               {issuer.Sign(t, jose.HS256, text, "at+jwt", usual), "no JWT"},
		"another RSA algorithm":           {issuer.Sign(t, jose.PS256, *rsaKey, "at+jwt", usual), "no JWT"},
		"a logout token":                  {issuer.Sign(t, jose.RS256, *rsaKey, "logout+jwt", usual), "no access token"},
		"other claims":                    {parts[0] + "." + strings.Split(as.Token(map[string]any{"sub": "admin"}), ".")[1] + "." + parts[2], "signature"},
		"without its signature":           {parts[0] + "." + parts[1] + ".", "signature"},
		"opaque":                          {"abc", "no JWT"},
		"too long":                        {good + strings.Repeat("A", maxToken), "too long"},
		"JSON serialization":              {signed.FullSerialize(), "no JWT"},
	} {
		who, err := v.Verify(t.Context(), tt.token)
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) || who != nil {
			t.Errorf("%s: %+v %v", name, who, err)
		}
	}
	if _, err := v.Verify(t.Context(), good); err != nil {
		t.Error(err)
	}
}

func newRSA(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestScopesThatAreMissing(t *testing.T) {
	as := issuer.New(t)
	v, _ := verifying(t, as, Options{Scopes: []string{"read", "write"}})
	var lacking *ScopeError
	if _, err := v.Verify(t.Context(), as.Token(map[string]any{"scope": "read writes"})); !errors.As(err, &lacking) || len(lacking.Missing) != 1 || lacking.Missing[0] != "write" {
		t.Error(err)
	}
	var refused *RefusedError // before anything is said of scopes
	if _, err := v.Verify(t.Context(), as.Token(map[string]any{"exp": 1})); !errors.As(err, &refused) {
		t.Error(err)
	}
}

// TestRotation: a new key is found at once, once the issuer has it; the old one goes with the next reading.
func TestRotation(t *testing.T) {
	as := issuer.New(t)
	v, later := verifying(t, as, Options{})
	old := as.Token(nil)
	for range 3 {
		if _, err := v.Verify(t.Context(), old); err != nil {
			t.Fatal(err)
		}
	}
	as.Rotate()
	later(keysPause)
	if _, err := v.Verify(t.Context(), as.Token(nil)); err != nil {
		t.Error(err)
	}
	if _, err := v.Verify(t.Context(), old); err == nil {
		t.Error("a key that was withdrawn is still taken")
	}
	if got := as.Reads(); got != 2 {
		t.Errorf("the keys were read %d times", got)
	}
}

// TestRotationOfKeysWithoutNames: a signature that no key fits has them read, too, as seldom.
func TestRotationOfKeysWithoutNames(t *testing.T) {
	as := issuer.New(t)
	as.Unname()
	v, later := verifying(t, as, Options{})
	old := as.Token(nil)
	if _, err := v.Verify(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	as.Rotate()
	as.Unname()
	for range 3 {
		if _, err := v.Verify(t.Context(), as.Token(nil)); err == nil {
			t.Error("a key that nobody has read")
		}
	}
	later(keysPause)
	if _, err := v.Verify(t.Context(), as.Token(nil)); err != nil {
		t.Error(err)
	}
	for range 3 {
		if _, err := v.Verify(t.Context(), old); err == nil {
			t.Error("a key that was withdrawn is still taken")
		}
	}
	if got := as.Reads(); got != 2 {
		t.Errorf("the keys were read %d times", got)
	}
}

// TestAWithdrawnKeyGoesInTime: without a new key, too.
func TestAWithdrawnKeyGoesInTime(t *testing.T) {
	as := issuer.New(t)
	as.AddKey(jose.RS256)
	v, later := verifying(t, as, Options{})
	gone := as.Token(nil)
	if _, err := v.Verify(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	as.Rotate()
	later(keysFresh + time.Second)
	_, _ = v.Verify(t.Context(), gone) // it is taken once more, while they are read
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := v.Verify(t.Context(), gone); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the key is still taken")
		}
	}
}

// TestNobodyFloodsAnIssuer: tokens with keys that nobody has, from many at once, make one reading; tokens that cannot count make none.
func TestNobodyFloodsAnIssuer(t *testing.T) {
	as, stranger := issuer.New(t), issuer.New(t)
	v, later := verifying(t, as, Options{})
	key := stranger.Key()
	claims := func(change string, value any) map[string]any {
		all := map[string]any{"iss": as.URL, "sub": "a", "aud": audience, "exp": time.Now().Add(time.Hour).Unix()}
		all[change] = value
		return all
	}
	for change, value := range map[string]any{"iss": "https://other.example", "aud": "x", "exp": 1, "sub": ""} {
		if _, err := v.Verify(t.Context(), issuer.Sign(t, jose.ES256, key, "JWT", claims(change, value))); err == nil {
			t.Errorf("%s counted", change)
		}
	}
	if got := as.Reads(); got != 0 {
		t.Errorf("%d readings for tokens that cannot count", got)
	}
	flood := func() {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				token := issuer.Sign(t, jose.ES256, jose.JSONWebKey{Key: key.Key, KeyID: fmt.Sprint(i)}, "JWT", claims("n", i))
				var refused *RefusedError
				if _, err := v.Verify(t.Context(), token); !errors.As(err, &refused) {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	for n := range 3 {
		flood()
		if got := as.Reads(); got != n+1 {
			t.Errorf("%d readings after %d floods", got, n+1)
		}
		later(keysPause)
	}
	if _, err := v.Verify(t.Context(), as.Token(nil)); err != nil {
		t.Error(err)
	}
}

// TestAnIssuerThatIsDown: keys that are known count on for a day; without any, nobody can tell.
func TestAnIssuerThatIsDown(t *testing.T) {
	as := issuer.New(t)
	v, later := verifying(t, as, Options{})
	token := as.Token(map[string]any{"exp": time.Now().Add(1000 * time.Hour).Unix()})
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	as.Close()
	later(keysLast - time.Minute)
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Error(err)
	}
	later(2 * time.Minute)
	var down *UnavailableError
	if _, err := v.Verify(t.Context(), token); !errors.As(err, &down) || down.Issuer != as.URL {
		t.Error(err)
	}
}

// TestKeysThatCannotBeUsed: whatever an issuer answers, nobody gets in, and the log says why.
func TestKeysThatCannotBeUsed(t *testing.T) {
	small := jose.JSONWebKey{Key: &newRSA(t, 1024).PublicKey, KeyID: "small"}
	many := map[string]any{"keys": make([]map[string]any, maxKeys+1)}
	encryption := func(as *issuer.Server) any {
		key := as.Key()
		public := key.Public()
		public.Use = "enc"
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}}
	}
	for name, tt := range map[string]struct {
		answer func(as *issuer.Server) any
		want   string
	}{
		"huge":                {func(*issuer.Server) any { return map[string]any{"keys": []any{}, "more": strings.Repeat("x", 2<<20)} }, "larger than"},
		"many":                {func(*issuer.Server) any { return many }, "65 keys"},
		"none":                {func(*issuer.Server) any { return map[string]any{} }, "no key for"},
		"no JSON of its form": {func(*issuer.Server) any { return []int{1} }, "no JSON of the right form"},
		"a small one":         {func(*issuer.Server) any { return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{small}} }, "no key for"},
		"a secret": {func(*issuer.Server) any {
			return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: []byte("secret of both")}}}
		}, "no key for"},
		"one for encryption": {encryption, "no key for"},
		"what nobody can read": {func(*issuer.Server) any {
			return map[string]any{"keys": []any{map[string]any{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}, 3, nil}}
		}, "no key for"},
	} {
		t.Run(name, func(t *testing.T) {
			as := issuer.New(t)
			as.ServeKeys(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(tt.answer(as)) })
			v, _ := verifying(t, as, Options{})
			_, err := v.Verify(t.Context(), as.Token(nil))
			var down *UnavailableError
			if !errors.As(err, &down) || !strings.Contains(err.Error(), tt.want) {
				t.Error(err)
			}
			if status := v.Check(t.Context()); len(status) != 1 || status[0].Err == nil || status[0].Keys != 0 {
				t.Errorf("%+v", status)
			}
		})
	}
}

// TestMetadataThatIsAnothers covers an issuer that says it is another, and one whose keys are nowhere safe.
func TestMetadataThatIsAnothers(t *testing.T) {
	for name, tt := range map[string]struct{ document, want string }{
		"another issuer": {`{"issuer": "https://other.example", "jwks_uri": "https://other.example/keys"}`, "another issuer"},
		"plain http":     {`{"issuer": "URL", "jwks_uri": "http://keys.example/keys"}`, "no jwks_uri that is https"},
		"a file":         {`{"issuer": "URL", "jwks_uri": "file:///etc/passwd"}`, "no jwks_uri that is https"},
		"a redirect":     {"", "HTTP 302"},
	} {
		t.Run(name, func(t *testing.T) {
			as := issuer.New(t)
			as.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tt.document == "" {
					http.Redirect(w, r, "/elsewhere", http.StatusFound)
					return
				}
				_, _ = w.Write(bytes.ReplaceAll([]byte(tt.document), []byte("URL"), []byte(as.URL)))
			})
			v, _ := verifying(t, as, Options{})
			if _, err := v.Verify(t.Context(), as.Token(nil)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Error(err)
			}
		})
	}
}

// TestKeysThatDoNotCome: a request waits no longer than its own end, and Close for nothing.
func TestKeysThatDoNotCome(t *testing.T) {
	as := issuer.New(t)
	asked, done := make(chan struct{}), make(chan struct{})
	as.ServeKeys(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		close(done)
	})
	v, _ := verifying(t, as, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := v.Verify(ctx, as.Token(nil))
		failed <- err
	}()
	<-asked
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	v.Close()
	<-done
	var down *UnavailableError
	if _, err := v.Verify(t.Context(), as.Token(nil)); !errors.As(err, &down) {
		t.Error(err)
	}
}

func TestAnAddressOfKeys(t *testing.T) {
	as := issuer.New(t)
	as.Audience = audience
	v := New(&Options{Issuers: []Issuer{{URL: "https://issuer.example", Keys: as.URL + "/keys"}}, Audiences: []string{audience}})
	defer v.Close()
	if _, err := v.Verify(t.Context(), as.Token(map[string]any{"iss": "https://issuer.example"})); err != nil {
		t.Error(err)
	}
	if _, err := v.Verify(t.Context(), as.Token(nil)); err == nil {
		t.Error("a token of another issuer counts")
	}
}

func TestClaimsOfAPrincipal(t *testing.T) {
	as := issuer.New(t)
	v, _ := verifying(t, as, Options{})
	who, err := v.Verify(t.Context(), as.Token(map[string]any{
		"groups": []any{"eng", 7.0, true}, "role": "admin", "realm_access": map[string]any{"roles": []string{"writer"}},
		"https://app.example/level": 3, "scope": "mcp mcp:read", "on": true,
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		claim, value string
		want         bool
	}{
		{"groups", "eng", true}, {"groups", "en", false}, {"groups", "7", true}, {"groups", "true", true}, {"role", "admin", true}, {"role", "", false},
		{"realm_access.roles", "writer", true}, {"realm_access.roles.x", "writer", false}, {"realm_access", "writer", false}, {"missing", "", false},
		{"https://app.example/level", "3", true}, {"scope", "mcp:read", true}, {"scope", "mcp mcp:read", false}, {"on", "true", true}, {"sub", "alice", true},
	} {
		if got := who.Has(tt.claim, tt.value); got != tt.want {
			t.Errorf("%s=%s: %v", tt.claim, tt.value, got)
		}
	}
}

func TestTheDocumentHasTheLimits(t *testing.T) {
	text, err := os.ReadFile("../../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| `maxToken` | %d KiB |", maxToken>>10), fmt.Sprintf("| `leeway` | %d s |", leeway/time.Second), fmt.Sprintf("| `maxKeys` | %d |", maxKeys),
		fmt.Sprintf("| `readTime` | %d s |", readTime/time.Second), fmt.Sprintf("| `keysFresh` | %d min |", keysFresh/time.Minute),
		fmt.Sprintf("| `keysLast` | %d h |", keysLast/time.Hour), fmt.Sprintf("| `keysPause` | %d s |", keysPause/time.Second), fmt.Sprintf("| `findTime` | %d s |", findTime/time.Second),
	} {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/limits.md has not %s", row)
		}
	}
}

// FuzzVerify: whatever is sent in place of a token is refused, unless it is the one that counts, whose signature may be written in
// several ways.
func FuzzVerify(f *testing.F) {
	as := issuer.New(f)
	as.Audience = audience
	v := New(&Options{Issuers: []Issuer{{URL: as.URL}}, Audiences: []string{audience}})
	f.Cleanup(v.Close)
	good := as.Token(map[string]any{"exp": time.Now().Add(1000 * time.Hour).Unix()})
	parts := strings.Split(good, ".")
	for _, seed := range []string{good, "", ".", "..", parts[0] + "..", parts[0] + "." + parts[1] + ".", good + ".", good + "=", strings.Repeat(".", 10), "{}", "é.é.é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		who, err := v.Verify(t.Context(), token)
		if err == nil && !strings.HasPrefix(token, parts[0]+"."+parts[1]+".") || err != nil && token == good || (who != nil) != (err == nil) {
			t.Errorf("%q: %+v %v", token, who, err)
		}
	})
}
