package casefile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// A phrase is one way to say a step. In its pattern, {text}, {name} and {within} are quoted texts, {role} is a role in the
// language's words, {url}, {n}, {unit}, {secret} and {key} are single words; [ ] may be left out, | stands between words of
// the same meaning, and a space is any white space or, between other scripts than Latin, none.
type phrase struct {
	pattern string
	make    func(w *wording) []clause
	why     string // what to write instead, of a phrase that cannot be carried out
	re      *regexp.Regexp
	names   []string
}

// A clause is a key of the step, with its value: a text, a locator, or an expectation made of them.
type clause struct {
	key   string
	value any // string, wordAt, locatorWords, []clause
}

// wordAt is a piece of the line and where it stands.
type wordAt struct {
	text  string
	at    int  // byte offset in the item
	plain bool // a number, not a text
}

type locatorWords struct{ role, name, within wordAt }

// A wording is a phrase that fits an item, with its pieces.
type wording struct {
	form   *phrase
	pieces map[string]wordAt
}

const loc = `{role} {name}`

// makers are what the phrases of all languages mean.
var (
	fill   = func(w *wording) []clause { return []clause{{"fill", w.locator()}, {"with", w.pieces["text"]}} }
	secret = func(w *wording) []clause { return []clause{{"fill", w.locator()}, {"secret", w.pieces["secret"]}} }
	pick   = func(w *wording) []clause { return []clause{{"select", w.locator()}, {"option", w.pieces["text"]}} }
	act    = func(verb string) func(*wording) []clause {
		return func(w *wording) []clause { return []clause{{verb, w.locator()}} }
	}
	press = func(w *wording) []clause { return []clause{{"press", w.pieces["key"]}} }
	visit = func(w *wording) []clause { return []clause{{"goto", w.pieces["url"]}} }
	roll  = func(by string) func(*wording) []clause {
		return func(*wording) []clause { return []clause{{"scroll", []clause{{"by", wordAt{text: by, plain: true}}}}} }
	}
	pause = func(w *wording) []clause {
		n := w.pieces["n"]
		n.text += unitOf(w.pieces["unit"].text)
		return []clause{{"wait", n}}
	}
	ask = func(w *wording) []clause {
		m, u := w.pieces["method"], w.pieces["url"]
		m.text = strings.ToUpper(m.text)
		out := []clause{{"http", []clause{{"method", m}, {"url", u}}}}
		if n, ok := w.pieces["n"]; ok {
			n.plain = true
			out = append(out, clause{"status", n})
		}
		return out
	}
	claim = func(form, before, after string) func(*wording) []clause {
		return func(w *wording) []clause {
			t := w.pieces["text"]
			t.text = before + t.text + after
			return []clause{{"expect", []clause{{form, t}}}}
		}
	}
	see = func(form string) func(*wording) []clause {
		return func(w *wording) []clause { return []clause{{"expect", []clause{{form, w.locator()}}}} }
	}
)

const mdMethod = `{method}`

// noRole is what to write where a text alone is said to be hidden: text that no element carries is not all that could show it.
const noRole = `say what it is: Assert hidden heading "Deleted"`

var phrases = []phrase{
	// English
	{pattern: `type|enter|fill secret {secret} into|in ` + loc + `[ within|in {within}]`, make: secret},
	{pattern: `type|enter|fill {text} into|in ` + loc + `[ within|in {within}]`, make: fill},
	{pattern: `fill ` + loc + ` with {text}[ within|in {within}]`, make: fill},
	{pattern: `click[ on] ` + loc + `[ within|in {within}]`, make: act("click")},
	{pattern: `double-click[ on] ` + loc + `[ within|in {within}]`, make: act("dblclick")},
	{pattern: `check ` + loc + `[ within|in {within}]`, make: act("check")},
	{pattern: `uncheck ` + loc + `[ within|in {within}]`, make: act("uncheck")},
	{pattern: `hover[ over] ` + loc + `[ within|in {within}]`, make: act("hover")},
	{pattern: `select|choose {text} in|from ` + loc + `[ within|in {within}]`, make: pick},
	{pattern: `press {key}`, make: press},
	{pattern: `open|visit {url}`, make: visit},
	{pattern: `go to {url}`, make: visit},
	{pattern: `scroll up`, make: roll("-600")},
	{pattern: `scroll down`, make: roll("600")},
	{pattern: `wait[ for] {n}[ ]{unit}`, make: pause},
	{pattern: mdMethod + ` {url}[ expect[s] {n}]`, make: ask},
	{pattern: `assert|expect[ that][ the] url contains|includes {text}`, make: claim("url", "**", "**")},
	{pattern: `assert|expect[ that][ the] url is|equals {text}`, make: claim("url", "", "")},
	{pattern: `assert|expect[ that][ the] title contains|includes|is {text}`, make: claim("title", "", "")},
	{pattern: `assert|expect[ that] visible ` + loc + `[ within|in {within}]`, make: see("visible")},
	{pattern: `assert|expect[ that] hidden ` + loc + `[ within|in {within}]`, make: see("hidden")},
	{pattern: `assert|expect[ that] text|visible {text}`, make: claim("text", "", "")},
	{pattern: `assert|expect[ that] hidden {text}`, why: noRole},
	// Chinese
	{pattern: `在 ` + loc + ` 中|里[ 输入|填写]密[文] {secret}`, make: secret},
	{pattern: `在[ {within}[ 中|里] 的] ` + loc + ` 中|里|内 输入|填写|填入 {text}`, make: fill},
	{pattern: `输入|填写 机密 {secret} 到|至 ` + loc, make: secret},
	{pattern: `输入|填写|填入 {text} 到|至 ` + loc, make: fill},
	{pattern: `双击[ {within}[ 中|里] 的] ` + loc, make: act("dblclick")},
	{pattern: `点击|单击[ {within}[ 中|里] 的] ` + loc, make: act("click")},
	{pattern: `取消勾选[ {within}[ 中|里] 的] ` + loc, make: act("uncheck")},
	{pattern: `勾选[ {within}[ 中|里] 的] ` + loc, make: act("check")},
	{pattern: `悬停 ` + loc, make: act("hover")},
	{pattern: `在[ {within}[ 中|里] 的] ` + loc + ` 中|里|内 选择 {text}`, make: pick},
	{pattern: `按|按下 {key}`, make: press},
	{pattern: `打开|进入 {url}`, make: visit},
	{pattern: `向上滚动`, make: roll("-600")},
	{pattern: `向下滚动`, make: roll("600")},
	{pattern: `等待 {n} {unit}`, make: pause},
	{pattern: mdMethod + ` {url} 期望|预期 {n}`, make: ask},
	{pattern: `断言 网址|地址|url 包含 {text}`, make: claim("url", "**", "**")},
	{pattern: `断言 网址|地址|url 为|是|等于 {text}`, make: claim("url", "", "")},
	{pattern: `断言 标题 包含|为|是 {text}`, make: claim("title", "", "")},
	{pattern: `断言 可见|显示 ` + loc, make: see("visible")},
	{pattern: `断言 隐藏|不可见 ` + loc, make: see("hidden")},
	{pattern: `断言 文本|可见|显示 {text}`, make: claim("text", "", "")},
	{pattern: `断言 隐藏|不可见 {text}`, why: noRole},
	// Spanish
	{pattern: `escribe|escribir|introduce|introducir secreto {secret} en ` + loc + `[ dentro de {within}]`, make: secret},
	{pattern: `escribe|escribir|introduce|introducir|rellena {text} en ` + loc + `[ dentro de {within}]`, make: fill},
	{pattern: `haz|hacer doble clic en ` + loc + `[ dentro de {within}]`, make: act("dblclick")},
	{pattern: `haz|hacer clic en ` + loc + `[ dentro de {within}]`, make: act("click")},
	{pattern: `pulsa|pulsar ` + loc + `[ dentro de {within}]`, make: act("click")},
	{pattern: `marca|marcar ` + loc + `[ dentro de {within}]`, make: act("check")},
	{pattern: `desmarca|desmarcar ` + loc + `[ dentro de {within}]`, make: act("uncheck")},
	{pattern: `selecciona|seleccionar|elige|elegir {text} en ` + loc + `[ dentro de {within}]`, make: pick},
	{pattern: `pulsa|pulsar[ la] tecla {key}`, make: press},
	{pattern: `abre|abrir|visita {url}`, make: visit},
	{pattern: `ve a {url}`, make: visit},
	{pattern: `desplaza|desplázate|desplazar hacia arriba`, make: roll("-600")},
	{pattern: `desplaza|desplázate|desplazar hacia abajo`, make: roll("600")},
	{pattern: `espera|esperar {n} {unit}`, make: pause},
	{pattern: mdMethod + ` {url} espera {n}`, make: ask},
	{pattern: `comprueba|comprobar[ que][ la] url contiene {text}`, make: claim("url", "**", "**")},
	{pattern: `comprueba|comprobar[ que][ la] url es {text}`, make: claim("url", "", "")},
	{pattern: `comprueba|comprobar[ que][ el] título|titulo contiene|es {text}`, make: claim("title", "", "")},
	{pattern: `comprueba|comprobar visible ` + loc + `[ dentro de {within}]`, make: see("visible")},
	{pattern: `comprueba|comprobar oculto|oculta ` + loc + `[ dentro de {within}]`, make: see("hidden")},
	{pattern: `comprueba|comprobar texto|visible {text}`, make: claim("text", "", "")},
	{pattern: `comprueba|comprobar oculto|oculta {text}`, why: noRole},
}

// roleWords are what people call roles. A role itself is always understood.
var roleWords = map[string]string{
	"field": "textbox", "text field": "textbox", "dropdown": "combobox", "item": "listitem",
	"按钮": "button", "链接": "link", "文本框": "textbox", "输入框": "textbox", "搜索框": "searchbox", "下拉框": "combobox", "复选框": "checkbox", "单选框": "radio",
	"标签页": "tab", "菜单项": "menuitem", "对话框": "dialog", "标题": "heading", "列表项": "listitem", "选项": "option", "行": "row", "开关": "switch",
	"botón": "button", "boton": "button", "enlace": "link", "campo": "textbox", "buscador": "searchbox", "desplegable": "combobox", "casilla": "checkbox",
	"pestaña": "tab", "diálogo": "dialog", "encabezado": "heading", "elemento": "listitem", "opción": "option", "fila": "row", "interruptor": "switch",
}

var units = map[string]string{
	"ms": "ms", "milliseconds": "ms", "millisecond": "ms", "毫秒": "ms", "milisegundos": "ms",
	"s": "s", "seconds": "s", "second": "s", "sec": "s", "秒": "s", "秒钟": "s", "segundos": "s", "segundo": "s",
}

func unitOf(word string) string { return units[strings.ToLower(word)] }

// quotesOf is a text in quotes of any script, the quotes of its own kind left out.
const quotedText = `"(?:[^"\\]|\\.)*"|“[^”]*”|「[^」]*」|『[^』]*』|«[^»]*»|‘[^’]*’|'[^']*'`

// pieceOf is what a place of a pattern matches.
func pieceOf(name string) string {
	switch name {
	case "text", "name", "within":
		return quotedText
	case "role":
		return `[\p{L}-]+(?: field)?`
	case "n":
		return `[0-9]+`
	case "unit":
		var all []string
		for u := range units {
			all = append(all, regexp.QuoteMeta(u))
		}
		slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
		return strings.Join(all, "|")
	case "method":
		return `GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS`
	case "secret":
		return `[A-Za-z_][A-Za-z0-9_]*`
	}
	return quotedText + `|\S+` // url, key
}

var placeOrWords = regexp.MustCompile(`\{(\w+)\}|\[|\]| +|[^\[\]{} ]+`)

func init() {
	for i := range phrases {
		phrases[i].compile()
	}
}

func (p *phrase) compile() {
	var b strings.Builder
	b.WriteString(`^(?i)`)
	for _, t := range placeOrWords.FindAllStringSubmatch(p.pattern, -1) {
		switch {
		case t[1] != "":
			p.names = append(p.names, t[1])
			b.WriteString("(" + pieceOf(t[1]) + ")")
		case t[0] == "[":
			b.WriteString(`(?:`)
		case t[0] == "]":
			b.WriteString(`)?`)
		case strings.TrimSpace(t[0]) == "":
			b.WriteString(`\s*`)
		default:
			alt := strings.Split(t[0], "|")
			for i := range alt {
				alt[i] = regexp.QuoteMeta(alt[i])
			}
			b.WriteString("(?:" + strings.Join(alt, "|") + ")")
		}
	}
	b.WriteString(`\s*[.。]?$`)
	p.re = regexp.MustCompile(b.String())
}

// parseWords finds the phrase that an item says.
func parseWords(text string) (*wording, bool) {
	for i := range phrases {
		p := &phrases[i]
		m := p.re.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		w := &wording{form: p, pieces: map[string]wordAt{}}
		for j, name := range p.names {
			if from, to := m[2*j+2], m[2*j+3]; from >= 0 {
				w.pieces[name] = wordAt{text: unquote(text[from:to]), at: from}
			}
		}
		if role, ok := w.pieces["role"]; ok {
			if role.text = roleOf(role.text); role.text == "" {
				continue
			}
			w.pieces["role"] = role
		}
		return w, true
	}
	return nil, false
}

func roleOf(word string) string {
	word = strings.ToLower(word)
	if deed.KnownRole(word) {
		return word
	}
	return roleWords[word]
}

// unquote takes a text out of its quotes. Inside ASCII double quotes a backslash stands before a quote or itself.
func unquote(s string) string {
	r := []rune(s)
	if len(r) < 2 {
		return s
	}
	pairs := map[rune]rune{'"': '"', '“': '”', '「': '」', '『': '』', '«': '»', '‘': '’', '\'': '\''}
	if end, ok := pairs[r[0]]; !ok || r[len(r)-1] != end {
		return s
	}
	inner := string(r[1 : len(r)-1])
	if r[0] == '"' {
		inner = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(inner)
	}
	return inner
}

func (w *wording) locator() locatorWords {
	return locatorWords{w.pieces["role"], w.pieces["name"], w.pieces["within"]}
}

// node writes the wording as the step that YAML would hold.
func (w *wording) node(m *mdReader, offset int) *node {
	return partsNode(m, offset, 0, w.form.make(w))
}

func partsNode(m *mdReader, offset, at int, parts []clause) *node {
	n := &node{kind: mapping, pos: m.pos(offset + at)}
	for _, p := range parts {
		switch v := p.value.(type) {
		case wordAt:
			put(n, p.key, m.pos(offset+at), &node{pos: m.pos(offset + v.at), text: v.text, quoted: !v.plain})
		case locatorWords:
			l := &node{kind: mapping, pos: m.pos(offset + v.role.at)}
			put(l, v.role.text, l.pos, words(m.pos(offset+v.name.at), v.name.text))
			put(n, p.key, m.pos(offset+at), l)
			if v.within.text != "" {
				put(l, "in", m.pos(offset+v.within.at), words(m.pos(offset+v.within.at), v.within.text))
			}
		case []clause:
			put(n, p.key, m.pos(offset+at), partsNode(m, offset, at, v))
		}
	}
	return n
}
