package words

import "strings"

// quotes are the pairs that quote, opening to closing.
var quotes = []struct{ open, close string }{
	{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"»", "«"}, {"‹", "›"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"`", "`"}, {"‘", "’"}, {"'", "'"},
}

// Quoted returns what s quotes, folded, in order: an intent that quotes a text must find it exactly. An apostrophe
// inside a word quotes nothing.
func Quoted(s string) []string {
	out, _ := unquote(s)
	return out
}

// unquote parts s into what it quotes and the rest.
func unquote(s string) (quoted []string, rest string) {
	rs := []rune(s)
	var b strings.Builder
	for i := 0; i < len(rs); {
		if end := closing(rs, i); end > 0 {
			if t := Fold(string(rs[i+1 : end])); t != "" {
				quoted = append(quoted, t)
			}
			b.WriteByte(' ')
			i = end + 1
			continue
		}
		b.WriteRune(rs[i])
		i++
	}
	return quoted, b.String()
}

// closing returns the index of the mark that closes the quotation opened at i, or 0.
func closing(rs []rune, i int) int {
	for _, q := range quotes {
		if string(rs[i]) != q.open {
			continue
		}
		single := q.open == "'" || q.open == "‘"
		if single && i > 0 && (letter(rs[i-1]) || digit(rs[i-1])) {
			continue
		}
		for j := i + 1; j < len(rs); j++ {
			if string(rs[j]) != q.close {
				continue
			}
			if single && j+1 < len(rs) && (letter(rs[j+1]) || digit(rs[j+1])) {
				continue
			}
			if j > i+1 {
				return j
			}
			break
		}
	}
	return 0
}

var negations = lex(
	"not|no longer|no more|never|without|neither|nor|gone|disappear*|vanish*|absent|cannot|isnt|arent|wasnt|werent|doesnt|dont|didnt|wont|cant|shouldnt|hasnt|is away|goes away|went away|leaves the|left the",
	"ya no|nunca|sin|tampoco|desaparec*|ningun|ninguna|ninguno",
	"nicht|kein|keine|keinen|keinem|keiner|ohne|nie|niemals|verschwind*|verschwunden*|weg",
	"ne|n'|pas|plus aucun|sans|jamais|aucun|aucune|disparai*|disparu*",
	"nao|sem|nunca|nenhum|nenhuma|desaparec*|non|senza|mai piu|nessun*|scompar*|sparisc*|sparit*",
	"niet|geen|zonder|verdwijn*|verdwen*|inte|ingen|inga|utan|forsvinn*|forsvunn*|nie ma|bez|znik*|neni|zmiz*",
	"не|нет|без|исчез*|пропал*|немає|зник*|degil|yok|kaybol*|لا|ليس|بدون|لم|يختف*|לא|אין|ללא|נעלמ*|नहीं|बिना",
	"没有|不再|不|消失|ない|ません|なし|消え|않|없|사라",
)

// Portuguese says "no" for "in the". These words tell Portuguese.
var portuguese = set("o os do da dos das um uma foi em ao pelo pela nao esta carrinho aparece item")

// Negated reports whether s denies, or says that something goes: "no longer", "not", "without", "is gone", "disappears", and the like in
// Spanish, German, French and others. What is quoted is not read. Whether something was deleted is another question
// ([SpeaksOfRemoval]): "a message says that it was deleted" wants something to appear.
func Negated(s string) bool {
	_, rest := unquote(s)
	t := read(rest)
	if negations.in(t) {
		return true
	}
	for i, p := range t.parts {
		if p.text != "no" {
			continue
		}
		// "No. 5" and "no 5" count, "no carrinho" is Portuguese; any other "no" denies.
		if i+1 < len(t.parts) && t.parts[i+1].kind == num || strings.HasPrefix(after(t, i), ".") && i+1 < len(t.parts) {
			continue
		}
		foreign := false
		for j, q := range t.parts {
			foreign = foreign || j != i && portuguese[q.text] && q.text != "item"
		}
		if !foreign {
			return true
		}
	}
	return false
}

// after is what stands between part i and the next.
func after(t text, i int) string {
	if i+1 < len(t.parts) {
		return t.parts[i+1].before
	}
	return ""
}

var removals = lex(
	"remov*|delet*|discard*|dismiss*|erase*|clear|clears|cleared|undo|undone|trash*|taken out|taken off|goes|leaves",
	"elimin*|borr*|quita|quitado|quitada|quitar|retir*|descart*|supprim*|effac*|enlev*|entfern*|geloscht*|losch*|verwerf*|verworfen|rimoss*|rimuov*|cancellat*|cancellar*|remov*|apag*|exclui*",
	"удал*|убра*|видал*|silin*|sildi|silmek|حذف*|إزالة|נמחק*|מחק*|הוסר*|usun*|odstran*|verwijder*|ta bort|tagits bort|raderad*",
	"删除|移除|刪除|清除|削除|삭제|제거",
)

// SpeaksOfRemoval reports whether s says that something is removed or deleted, in any of many languages.
func SpeaksOfRemoval(s string) bool {
	_, rest := unquote(s)
	return removals.in(read(rest))
}
