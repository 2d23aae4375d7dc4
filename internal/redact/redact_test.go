package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/redact"
)

func masker(secrets ...string) *redact.Masker {
	m := new(redact.Masker)
	for _, s := range secrets {
		m.Add(s)
	}
	return m
}

func TestNothingRegisteredChangesNothing(t *testing.T) {
	var m redact.Masker
	for _, s := range []string{"", "hunter2", "[redacted]", "a&amp;b"} {
		if got := m.String(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	m.Add("")
	m.Add(deed.Redacted)
	if got := m.String("text [redacted]"); got != "text [redacted]" {
		t.Errorf("got %q", got)
	}
	if n := testing.AllocsPerRun(100, func() { m.String("a text of some length that holds no secret") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestString(t *testing.T) {
	const iban, card, pass = "DE89370400440532013000", "4111-1111-1111-1111", `hunter2 "Ä&ö"/+%`
	for _, c := range []struct{ why, secret, in, want string }{
		{"raw", "hunter2", "it is hunter2!", "it is [redacted]!"},
		{"twice", "hunter2", "hunter2hunter2 hunter2", "[redacted] [redacted]"},
		{"other case", "Hunter2", "HUNTER2 hunter2", "[redacted] [redacted]"},
		{"only a part is no secret", "hunter2", "hunter 3, hunte", "hunter 3, hunte"},
		{"IBAN in groups", iban, "DE89 3704 0044 0532 0130 00.", "[redacted]."},
		{"IBAN with no-break blanks", iban, "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "[redacted]"},
		{"IBAN with dots", iban, "de89.3704.0044.0532.0130.00", "[redacted]"},
		{"card without its dashes", card, "4111111111111111", "[redacted]"},
		{"card with blanks", card, "4111 1111 1111 1111", "[redacted]"},
		{"split by white space", "correcthorse", "correct\n  horse c o r r e c t h o r s e", "[redacted] [redacted]"},
		{"white space lost", "correct horse", "correcthorse", "[redacted]"},
		{"white space folded", " correct  horse", "correct horse", "[redacted]"},
		{"soft hyphens", "correcthorse", "correct\u00adhorse", "[redacted]"},
		{"what cannot be seen", "correcthorse", "\u202acor\u2066rect\u180ehor\u034fse\ufe0f!", "\u202a[redacted]\ufe0f!"},
		{"wide forms", "hunter2!", "(ＨＵＮter２！)", "([redacted])"},
		{"a secret in wide forms", "ｈｕｎｔｅｒ２", "hunter2 HUNTER２", "[redacted] [redacted]"},
		{"HTML", pass, "<b>" + html.EscapeString(pass) + "</b>", "<b>[redacted]</b>"},
		{"HTML by number", "a<b>c&d", "a&#60;b&#x3e;c&#38;d", "[redacted]"},
		{"HTML by other names", "a<b>c'd", "a&LT;b&gt;c&apos;d", "[redacted]"},
		{"HTML without semicolons", "a<b>c&d", "a&ltb&gtc&ampd", "[redacted]"},
		{"JSON", pass, `{"p":` + quoteJSON(pass) + `}`, `{"p":"[redacted]"}`},
		{"JSON in ASCII", "pässword", `"p\u00e4ssword"`, `"[redacted]"`},
		{"JSON surrogates", "pass😀word", `"pass\ud83d\ude00word"`, `"[redacted]"`},
		{"Go", "pass\tword\x00é", strconv.QuoteToASCII("pass\tword\x00é"), `"[redacted]"`},
		{"JavaScript", "hunter2", `\x68\x75\x6e\u{74}er2`, "[redacted]"},
		{"URL path", pass, "http://h/" + url.PathEscape(pass) + "/x", "http://h/[redacted]/x"},
		{"form", pass, "p=" + url.QueryEscape(pass) + "&q=1", "p=[redacted]&q=1"},
		{"URL, only in part escaped", "a b&c=d", "?p=a%20b%26c=d", "?p=[redacted]"},
		{"URL twice", pass, url.QueryEscape(url.QueryEscape(pass)), "[redacted]"},
		{"HTML in JSON in a URL", pass, url.QueryEscape(quoteJSON(html.EscapeString(pass))), "%22[redacted]%22"},
		{"base64", "hunter2!", "Basic " + base64.StdEncoding.EncodeToString([]byte("ana:hunter2!")), "Basic YW5hO[redacted]"},
		{"base64, URL alphabet", "???>>>~~~", base64.RawURLEncoding.EncodeToString([]byte("x???>>>~~~y")), "e[redacted]k"},
		{"hex", "hunter2", "0x68756E74657232", "0x[redacted]"},
		{"hex pairs", "hunter2", "68:75:6e:74:65:72:32", "[redacted]"},
		{"split by markup", "hunter2", "<p>hun<b class='x>y' id=\"a\">ter</b>2</p>", "<p>[redacted]</p>"},
		{"split by a comment", "hunter2", "hun<!-- <b> -->ter2", "[redacted]"},
		{"split by escaped markup", "hunter2", "hun&lt;wbr&gt;ter2", "[redacted]"},
		{"a sign is no tag", "hunter2", "<hun<b>ter2", "<[redacted]"},
		{"markup in it", "a<b>cdef", "x a<b>cdef y", "x [redacted] y"},
		{"markup beside it stays", "hunter2", "<b>hunter3</b>", "<b>hunter3</b>"},
		{"decomposed", "pässwörd", norm.NFD.String("pässwörd"), "[redacted]"},
		{"composed", norm.NFD.String("pässwörd"), "PÄSSWÖRD", "[redacted]"},
		{"sharp s in capitals", "straße17", "STRASSE17", "[redacted]"},
		{"clipped", "hunter2hunter3", "the value is hunter2hun…, sorry", "the value is [redacted]…, sorry"},
		{"clipped with dots", "hunter2hunter3", "hunter2...", "[redacted]..."},
		{"clipped too short to tell", "hunter2hunter3", "hunte…", "hunte…"},
		{"clipped at its start", "hunter2hunter3", "…er2hunter3 is", "…[redacted] is"},
		{"cut at the end of a long text", "hunter2hunter3", strings.Repeat("x", 150) + "hunter2hu", strings.Repeat("x", 150) + "[redacted]"},
		{"the end of a short text is not cut", "password123", "Enter your password", "Enter your password"},
		{"four characters", "1234", "PIN 1234, 12345 &#49;234", "PIN [redacted], [redacted]5 [redacted]"},
		{"four characters are not found in pieces", "1234", "12 34, 1-2-3-4", "12 34, 1-2-3-4"},
		{"two characters only as a word", "ab", "ab cab abc (ab) AB", "[redacted] cab abc ([redacted]) AB"},
		{"what masks is not masked", "redact", "[redacted] redact", "[redacted] [redacted]"},
		{"a mask does not complete a secret", "x[reda", "xx[reda", "[redacted]"},
		{"letters are not joined over punctuation", "passport", "Enter pass. Port 80", "Enter pass. Port 80"},
	} {
		m := masker(c.secret)
		if got := m.String(c.in); got != c.want {
			t.Errorf("%s: String(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func TestSeveralSecretsThatOverlap(t *testing.T) {
	m := masker("hunter2", "ter2abc", "zzzzzz")
	if got := m.String("-hunter2abc- zzzzzzz"); got != "-[redacted]- [redacted]z" {
		t.Errorf("got %q", got)
	}
}

func quoteJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// shapes are the forms in which no secret of six characters or more may survive.
func shapes(s string) map[string]string {
	b := []byte(s)
	out := map[string]string{
		"raw": s, "html": html.EscapeString(s), "json": quoteJSON(s), "go": strconv.Quote(s), "go ascii": strconv.QuoteToASCII(s),
		"query": url.QueryEscape(s), "path": url.PathEscape(s), "hex": hex.EncodeToString(b), "HEX": strings.ToUpper(hex.EncodeToString(b)),
		"lower": strings.ToLower(s), "upper": strings.ToUpper(s), "nfc": norm.NFC.String(s), "nfd": norm.NFD.String(s),
		"json in html": html.EscapeString(quoteJSON(s)), "query of query": url.QueryEscape(url.QueryEscape(s)), "html in json": quoteJSON(html.EscapeString(s)),
	}
	for shift := range 3 {
		text := append([]byte("xyz")[:shift:shift], b...)
		out[fmt.Sprint("base64 ", shift)] = base64.StdEncoding.EncodeToString(text)
		out[fmt.Sprint("base64 url ", shift)] = base64.RawURLEncoding.EncodeToString(append(text, "tail"...))
	}
	solid := 0
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) {
			solid++
		}
	}
	if solid < 6 {
		return out // too little to be told from other text without its blanks
	}
	var split strings.Builder
	for i, r := range []rune(s) {
		if i > 0 && i%4 == 0 {
			split.WriteString(" ")
		}
		split.WriteRune(r)
	}
	out["split"] = split.String()
	return out
}

func FuzzNoSecretSurvives(f *testing.F) {
	for _, s := range []string{"hunter2", "correct horse battery", "DE89370400440532013000", "pässwörd", `a"b\c/d<e>&f`, "日本語のパスワード", "p+q%41&amp;", "\x00\x01\x02abc", "redact", "straßeİı", "......", "aaaaaaa", "%25%25%25", "\\\\\\\\\\\\", "e\u0301\u0323e\u0323\u0301xyz", "      ", "a b c ", "[redacted", "…………………", "ＡＢＣ１２３"} {
		f.Add(s, "before ", " after")
	}
	f.Add("hunter2", "%25", "&quot;")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		if !utf8.ValidString(secret) || utf8.RuneCountInString(secret) < 6 || len(secret) > 200 || len(before)+len(after) > 400 {
			t.Skip()
		}
		// An escape that begins before the secret and eats into it is no encoding of the secret.
		if strings.ContainsAny(before[max(0, len(before)-34):], `\&%`) {
			t.Skip()
		}
		m := masker(secret)
		for name, shape := range shapes(secret) {
			in := before + shape + after
			out := m.String(in)
			if again := m.String(out); again != out {
				t.Fatalf("%s: masking twice differs: %q, %q", name, out, again)
			}
			// What is left of the masks must not hold the shape.
			for _, piece := range strings.Split(out, deed.Redacted) {
				if strings.Contains(piece, shape) {
					t.Fatalf("%s of %q survives in %q: %q", name, secret, in, out)
				}
			}
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	var m redact.Masker
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			secret := fmt.Sprintf("secret-number-%d", i)
			m.Add(secret)
			for range 50 {
				if got := m.String("say " + secret); got != "say [redacted]" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkString(b *testing.B) {
	m := masker("correct horse battery staple", "DE89370400440532013000", "hunter2-Zx!")
	for name, s := range map[string]string{
		"nothing": "Add T-shirt M to the cart, 19 € each, free delivery from 50 €",
		"URL":     "http://127.0.0.1:8080/shop/items?filter=shirts%20and%20more&page=2",
		"hit":     "the password is hunter2-Zx!",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.String(s)
			}
		})
	}
}

// What a hostile page might write to make masking slow: the time must grow with the length, not with its square.
func BenchmarkHostile(b *testing.B) {
	m := masker("correct horse battery staple", "DE89370400440532013000", "hunter2-Zx!")
	for name, piece := range map[string]string{"percents": "%41", "percents of percents": "%2541", "references": "&amp;#x41;", "backslashes": `\\u0041`, "all": `%26amp;\u0025+`, "ellipses": "…", "blanks": "h  ", "halves": "hunter2-Zx…"} {
		for _, n := range []int{1_000, 10_000, 100_000} {
			text := strings.Repeat(piece, n/len(piece))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m.String(text)
				}
			})
		}
	}
}

func BenchmarkSnapshot(b *testing.B) {
	m := masker("correct horse battery staple", "DE89370400440532013000", "hunter2-Zx!")
	s := &deed.Snapshot{}
	for i := range 10_000 {
		s.Nodes = append(s.Nodes, deed.Node{Role: "listitem", Name: fmt.Sprintf("Item %d: größer & better than T-shirt M", i), Region: `list "Items"`, Row: fmt.Sprintf("Item %d: 19 €", i)})
	}
	for b.Loop() {
		m.Snapshot(s)
	}
}
