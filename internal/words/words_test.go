package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/deed-dev/deed/internal/words"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"nothing to do", "Add to cart", "Add to cart"},
		{"white space of any kind", "  Add\u00a0\n\t to\u2009\u3000cart ", "Add to cart"},
		{"soft hyphens and zero-width spaces", "Zu\u00adsam\u200bmen\u2060fassung\ufeff", "Zusammenfassung"},
		{"bidi marks", "\u202aשלום\u202c \u200eOK\u200f", "שלום OK"},
		{"composed and decomposed are one", "Cafe\u0301", "Café"},
		{"an accent after a soft hyphen", "e\u00ad\u0301", "é"},
		{"case and accents stay", "ÀÉÎ", "ÀÉÎ"},
		{"full-width letters are seen as such", "Ｓａｖｅ", "Ｓａｖｅ"},
		{"a family is joined", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
		{"with variation selectors too", "❤\ufe0f\u200d🔥", "❤\u200d🔥"},
		{"Persian non-joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"Hindi joiner", "क्\u200dष", "क्\u200dष"},
		{"a non-joiner in German is typography", "Auf\u200clage", "Auflage"},
		{"a joiner at the edge joins nothing", "\u200dOK\u200d", "OK"},
		{"a joiner before a blank", "👍\u200d ok", "👍 ok"},
		{"Korean", "\u1112\u1161\u11ab", "한"},
		{"invisible between blanks", "a \u200b b", "a b"},
		{"control characters", "a\x00b", "ab"},
	} {
		if got := words.Fold(c.in); got != c.want {
			t.Errorf("%s: Fold(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func TestLoose(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Añadir CAFÉ", "anadir cafe"},
		{"Straße", "strasse"},
		{"Łódź Ørsted Æther", "lodz orsted aether"},
		{"ＡＢＣ１２３", "abc123"},
		{"ﬁle", "file"},
		{"İSTANBUL ışık", "istanbul isik"},
		{"ΜΆΪΟΣ", "μαιοσ"},
		{"Ёлка мой", "елка мой"},
		{"їжак", "їжак"},
		{"が ガ", "が ガ"},
		{"किताब", "किताब"},
		{"ที่นี่", "ที่นี่"},
		{"“It’s” – «ok»…", `"it's" - "ok"...`},
		{"שָׁלוֹם", "שלום"},
		{"مُحَمَّد", "محمد"},
	} {
		if got := words.Loose(c.in); got != c.want {
			t.Errorf("Loose(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestFoldingTwiceIsFoldingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		if f := words.Fold(s); words.Fold(f) != f {
			t.Fatalf("Fold(%q) = %q, then %q", s, f, words.Fold(f))
		}
		if l := words.Loose(s); words.Loose(l) != l {
			t.Fatalf("Loose(%q) = %q, then %q", s, l, words.Loose(l))
		}
		if words.Loose(words.Fold(s)) != words.Loose(s) {
			t.Fatalf("Loose(Fold(%q)) = %q, Loose = %q", s, words.Loose(words.Fold(s)), words.Loose(s))
		}
	})
}

func TestTheShortWayIsTheLongWay(t *testing.T) {
	runes := rapid.OneOf(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 0x24F, Stride: 1}, {Lo: 0x2010, Hi: 0x20CF, Stride: 1}}}), rapid.SampledFrom([]rune(" \u00ad\u00a8´ßİi…½\u202f")))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(runes, 0, 8).Draw(t, "s"))
		got, ok := words.LooseLatin(s)
		if want := words.LooseAny(s); !ok || got != want {
			t.Fatalf("%q: %q, %v, want %q", s, got, ok, want)
		}
	})
}

// anyText mixes arbitrary runes with those that fold in special ways.
func anyText() *rapid.Generator[string] {
	special := []rune(" \u00a0\u00ad\u200b\u200c\u200d\u0301\u0308\u3000\ufe0fßİıΣςﬁ½…Éé한がガक्ष❤👍ก็ไabcABC0123.,'-\"ا\u064b\u0307")
	return rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(special), rapid.Rune()), 0, 12).Draw(t, "runes"))
	})
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Add T-shirt M", "add t shirt m"},
		{"save saved saving saves Save", "sav sav sav sav sav"},
		{"delete deleted deleting deletes", "delet delet delet delet"},
		{"item items", "item item"},
		{"add added adding adds", "add add add add"},
		{"stop stopped stopping", "stop stop stop"},
		{"copy copied copies copying", "copy copy copy copy"},
		{"box boxes address addresses status", "box box addres addres status"},
		{"use used uses", "use use use"},
		{"create created creating", "creat creat creat"},
		{"post poster", "post poster"},
		{"eliminar eliminado eliminada", "elimin elimin elimin"},
		{"supprimer supprimé supprimée", "supprim supprim supprim"},
		{"speichern gespeichert löschen gelöscht", "speicher speicher losch losch"},
		{"Seat 12B, size S", "seat 12b siz s"},
		{"1,234.50", "1234.50"},
		{"1.234,50 €", "1234.50"},
		{"1 234,50", "1234.50"},
		{"1\u202f234,50", "1234.50"},
		{"1'234.50", "1234.50"},
		{"100 100 000", "100100000"},
		{"100", "100"},
		{"100 000", "100000"},
		{"100.000", "100000"},
		{"1,23,456", "123456"},
		{"12,34,567.5", "1234567.5"},
		{"19.00 19", "19 19"},
		{"v2.0 1.2.3", "v2 0 1.2.3"},
		{"0.125", "0.125"},
		{"12:30", "12:30"},
		{"24.12.2026", "24.12.2026"},
		{"-5 1-3", "-5 1 3"},
		{"10kg 10 kg", "10 kg 10 kg"},
		{"4111 1111 1111", "4111 1111 1111"},
		{"١٢٣", "123"},
		{"１２", "12"},
		{"don't Anna's l'article", "dont anna l' articl"},
		{"商品を削除", "商品 品を を削 削除"},
		{"大", "大"},
		{"Größe 大", "gros 大"},
		{"удалить удалена товар товары", "удал удал товар товар"},
		{"السلة سلة", "سلة سلة"},
		{"👍", "👍"},
		{"🗑️ Delete", "🗑 delet"},
		{"+", "+"},
		{"★★★☆☆", "★★★☆☆"},
		{"€ +", "€ +"},
	} {
		if got := strings.Join(words.Tokens(c.in), " "); got != c.want {
			t.Errorf("Tokens(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestContent(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"the item is in the cart", "item cart"},
		{"The button Save", "sav"},
		{"añadir la camiseta al carrito", "anad camiseta carrito"},
		{"Der Artikel ist im Warenkorb", "artikel warenkorb"},
		{"l'article est dans le panier", "articl panier"},
		{"Size A", "siz a"},
		{"a shirt", "shirt"},
		{"商品的数量", "商品 数量"},
		{"the", ""},
		{"+", "+"},
	} {
		if got := strings.Join(words.Content(c.in), " "); got != c.want {
			t.Errorf("Content(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestContentIsPartOfTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		all := words.Tokens(s)
		for _, w := range words.Content(s) {
			if !slices.Contains(all, w) {
				t.Fatalf("%q: %q is not in %q", s, w, all)
			}
		}
	})
}

// AP-D16: every name that shows anything gives at least one word.
func TestEveryVisibleNameHasWords(t *testing.T) {
	for _, s := range []string{"削除", "Удалить", "حذف", "ลบ", "מחק", "हटाएं", "삭제", "✓", "→", "…", "¿?", "ℹ", "©", "Ⅳ", "#", "ლ", "ገ"} {
		if len(words.Tokens(s)) == 0 || len(words.Content(s)) == 0 {
			t.Errorf("%q has no words", s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		if words.Loose(s) != "" && len(words.Tokens(s)) == 0 {
			t.Fatalf("%q has no words", s)
		}
	})
}

func TestOverlap(t *testing.T) {
	f := strings.Fields
	for _, c := range []struct {
		ref, cand string
		want      float64
	}{
		{"", "a", 0}, {"a", "", 0}, {"a b", "b a", 1}, {"a b c d", "a c", 0.5}, {"a a b", "a", 0.5}, {"m", "m l", 1},
	} {
		if got := words.Overlap(f(c.ref), f(c.cand)); got != c.want {
			t.Errorf("Overlap(%q, %q) = %v, want %v", c.ref, c.cand, got, c.want)
		}
	}
}

// A number is exact: it is found in no other number.
func TestNumbersAreExact(t *testing.T) {
	for _, c := range [][2]string{{"100", "100 000"}, {"100", "1000"}, {"1", "1.5"}, {"5", "-5"}, {"12", "12b"}, {"1.5", "15"}, {"100", "100,50"}} {
		a, b := words.Numbers(c[0]), words.Numbers(c[1])
		if words.Overlap(a, b) != 0 || words.Overlap(b, a) != 0 {
			t.Errorf("%q and %q share a number: %q %q", c[0], c[1], a, b)
		}
	}
	for _, c := range [][2]string{{"100 000", "100,000"}, {"1,234.50", "1.234,50"}, {"€19.00", "19 €"}, {"10 kg", "10kg"}, {"−5", "-5"}} {
		if a, b := words.Numbers(c[0]), words.Numbers(c[1]); !slices.Equal(a, b) || len(a) != 1 {
			t.Errorf("%q and %q differ: %q %q", c[0], c[1], a, b)
		}
	}
}

func TestQuoted(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`the status says "Saved  now"`, "Saved now"},
		{`“A” and „B“ and «C» and 'D' and ‘E’`, "A|B|C|D|E"},
		{"Anna's and Bob's carts", ""},
		{"don't 'quote it'", "quote it"},
		{"「保存」しました", "保存"},
		{`an unclosed "thing`, ""},
		{`""`, ""},
	} {
		if got := strings.Join(words.Quoted(c.in), "|"); got != c.want {
			t.Errorf("Quoted(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNegated(t *testing.T) {
	for _, s := range []string{
		"the shirt is no longer in the cart", "T-shirt M is not in the cart", "the cart is without a shirt", "the banner is gone", "the row disappears",
		"no items are left", "it isn't there", "la camiseta ya no está en el carrito", "el aviso desaparece", "das Hemd ist nicht mehr im Warenkorb",
		"die Zeile verschwindet", "kein Artikel", "l'article n'est plus dans le panier", "la bannière disparaît", "sans article",
		"o produto não está no carrinho", "l'articolo scompare", "товара больше нет", "商品不再显示", "商品は表示されない",
	} {
		if !words.Negated(s) {
			t.Errorf("%q denies", s)
		}
	}
	for _, s := range []string{
		"the shirt is in the cart", "la camiseta está en el carrito", "das Hemd ist im Warenkorb", "o produto aparece no carrinho", "order No. 5 is shown",
		`the status says "not saved"`, "Nora notes", "the notebook appears", "the item is deleted", "",
	} {
		if words.Negated(s) {
			t.Errorf("%q does not deny", s)
		}
	}
}

func TestSpeaksOfRemoval(t *testing.T) {
	for _, s := range []string{"the shirt is removed from the cart", "Artikel gelöscht", "se elimina el artículo", "削除しました"} {
		if !words.SpeaksOfRemoval(s) {
			t.Errorf("%q speaks of removal", s)
		}
	}
	for _, s := range []string{"the shirt is in the cart", `the heading "Deleted items" opens`} {
		if words.SpeaksOfRemoval(s) {
			t.Errorf("%q does not speak of removal", s)
		}
	}
}

func TestSpeaksOfFailure(t *testing.T) {
	for _, s := range []string{
		"Error", "3 errors", "Saving failed", "Could not save", "We couldn’t save your changes", "Access denied", "Invalid e-mail", "Something went wrong",
		"Error: no errors were expected", "10 errors", "The request timed out", "Email is required",
		"No se pudo guardar", "Falló el envío", "Acceso denegado", "Speichern fehlgeschlagen", "Das konnte nicht gespeichert werden", "Ungültige Eingabe", "Es ist ein Fehler aufgetreten",
		"Échec de l'enregistrement", "Une erreur est survenue", "Le fichier n'a pas pu être enregistré", "Errore di rete", "Non è stato possibile salvare", "Não foi possível salvar", "Senha inválida",
		"Opslaan mislukt", "Er is een fout opgetreden", "Något gick fel", "Det misslyckades", "Nie udało się zapisać", "Wystąpił błąd", "Nepodařilo se uložit", "Chyba serveru",
		"Произошла ошибка", "Не удалось сохранить", "Сталася помилка", "Не вдалося зберегти", "Bir hata oluştu", "Kaydetme başarısız oldu", "حدث خطأ", "فشل الحفظ", "אירעה שגיאה", "השמירה נכשלה",
		"एक त्रुटि हुई", "सहेजना विफल रहा", "保存失败", "发生错误", "無法儲存", "エラーが発生しました", "保存できませんでした", "오류가 발생했습니다", "저장에 실패했습니다",
	} {
		if _, bad := words.SpeaksOfFailure(s); !bad {
			t.Errorf("%q complains", s)
		}
	}
	for _, s := range []string{
		"", "Saved", "0 errors", "No errors", "no validation errors", "without errors", "Error-free", "error free", "Errors: 0", "12 passed, 0 failed", "Terror and mirrors", "This action cannot be undone.",
		"fail-safe mode on", "sin errores", "Esta acción no se puede deshacer", "keine Fehler", "Fehlerfrei gespeichert", "Das kann nicht rückgängig gemacht werden", "aucune erreur", "sans erreur",
		"nessun errore", "sem erros", "geen fouten", "inga fel", "bez błędów", "без ошибок", "hata yok", "بدون أخطاء", "אין שגיאות", "没有错误", "エラーはありません", "エラーなし", "오류 없음", "元に戻すことはできません", "此操作无法撤销",
		"Guardado", "Gespeichert", "已保存", "保存しました", "Nothing went wrong",
	} {
		if w, bad := words.SpeaksOfFailure(s); bad {
			t.Errorf("%q does not complain: %q", s, w)
		}
	}
	if w, _ := words.SpeaksOfFailure("Sorry: the payment could not be completed"); w != "could not" {
		t.Errorf("the word is %q", w)
	}
	if _, bad := words.SpeaksOfFailure("Saved with no errors, but sending failed"); !bad {
		t.Error("a denial covers only what it stands before")
	}
	if _, bad := words.SpeaksOfFailure("This cannot be undone. Access denied."); !bad {
		t.Error("a warning does not hide a complaint")
	}
}

// AP-31: a removal word in the name of a control that confirms something is no removal.
func TestAP31_CancelAndConfirmIsNoRemoval(t *testing.T) {
	for _, s := range []string{"Cancelar y confirmar la transferencia", "Cancel and confirm the transfer", "Abbrechen und Überweisung bestätigen", "Annuler et confirmer le virement"} {
		if words.RemovalName(s) {
			t.Errorf("%q is no removal", s)
		}
	}
}

func TestRemovalName(t *testing.T) {
	for _, s := range []string{
		"Remove", "Remove Shirt M", "Delete", "× Remove", "×", "✕", "❌", "🗑️", "Undo", "Clear", "Dismiss", "Discard draft", "Close", "Cancel", "Close dialog", "Dismiss notification",
		"Quitar Camiseta M", "Eliminar", "Deshacer", "Cerrar", "Artikel löschen", "Entfernen", "Rückgängig machen", "Supprimer l'article", "Retirer", "Rimuovi", "Remover", "Verwijderen", "Ta bort",
		"Usuń", "Odstranit", "Удалить товар", "Видалити", "Ürünü sil", "حذف", "מחק", "हटाएं", "删除", "从购物车移除", "商品を削除", "삭제", "取消", "Удалить",
	} {
		if !words.RemovalName(s) {
			t.Errorf("%q says removal", s)
		}
	}
	for _, s := range []string{
		"", "Save", "Add", "Delete and continue", "Yes, delete", "Remove and pay", "Do not remove", "Don't delete", "Deleted items", "Removed", "Remove all", "Delete everything", "Alle löschen", "全部删除",
		"Cancel order", "Cancel subscription", "Close account", "Learn how to delete cookies", "Add Clear Glass Vase", "Removal service", "Keep, do not delete", "Löschen bestätigen", "Annuler et payer", "削除を確認",
		"Submit", "Undone", "Enclose", "Xbox",
	} {
		if words.RemovalName(s) {
			t.Errorf("%q does not say removal", s)
		}
	}
}
