package words

import "strings"

// failures are the words of complaint. A word that also has an innocent use stands only in its phrase.
var failures = lex(
	// English
	"error|errors|fail|fails|failed|failing|failure|failures|could not|couldnt|cannot|cant|can not|unable to|denied|denies|invalid|forbidden|unauthorized|unauthorised|not authorized|not authorised|not allowed|not permitted",
	"rejected|refused|declined|went wrong|wrong|incorrect|not found|timed out|timeout|time out|unavailable|not available|not saved|not sent|not deleted|unsuccessful|unsuccessfully|not successful|exception|insufficient|expired|aborted|try again|oops|problem occurred|there was a problem|has a problem|not possible|impossible|not valid|is required|are required|bad request|access restricted|too many requests|out of stock|sold out",
	// Spanish
	"error|errores|fallo|fallos|fallado|fallida|fallido|fallidas|fallidos|fallaron|no se pudo|no se pudieron|no se puede|no se ha podido|no se han podido|no fue posible|no es posible|imposible|denegad*|rechazad*|invalid*|incorrect*|prohibid*|no valido|no valida|no encontrad*|caducad*|salio mal|no autorizad*|es obligatorio",
	// German
	"fehler|fehlern|fehlgeschlagen*|fehlerhaft*|fehlermeldung|gescheitert|schlug fehl|schlagt fehl|ungultig*|verweigert*|abgelehnt*|konnte nicht|konnten nicht|kann nicht|konnen nicht|nicht moglich|unmoglich|verboten|nicht gefunden|nicht erlaubt|nicht gespeichert|nicht erfolgreich|falsch|falsche|falsches|falscher|abgelaufen|schiefgelaufen|schief gelaufen|nicht verfugbar",
	// French
	"erreur|erreurs|echec|echecs|echoue*|impossible|acces refuse|paiement refuse|est refuse|ete refuse|refusee|invalide|invalides|incorrect*|interdit*|n' a pas pu|n' ont pas pu|n' a pas abouti|introuvable|non valide|non autorise*|a expire|expiree|mal passe|indisponible",
	// Italian, Portuguese
	"errore|errori|fallit*|non riuscit*|impossibile|negato|negata|rifiutat*|non valid*|vietat*|non trovat*|scadut*|non e stato possibile|andato storto|non consentit*",
	"erro|erros|falha|falhas|falhou|falharam|nao foi possivel|nao e possivel|impossivel|negad*|invalid*|recusad*|proibid*|nao encontrad*|expirad*|nao autorizad*|deu errado",
	// Dutch, Swedish
	"fout|fouten|foutmelding|mislukt*|ongeldig*|geweigerd|niet gelukt|kon niet|konden niet|kan niet|niet gevonden|niet toegestaan|verlopen",
	"fel|felmeddelande|felaktig*|misslyckad*|misslyckat*|ogiltig*|nekad*|kunde inte|gick inte|kan inte|forbjud*|hittades inte|inte tillaten|nagot gick fel",
	// Polish, Czech
	"blad|bledy|bledow|bledem|bledu|nie udalo|niepowodzeni*|nieudan*|odmow*|odrzucon*|nieprawidlow*|niepoprawn*|zabronion*|nie mozna|nie znaleziono|nieaktualn*|wygasl*",
	"chyba|chyby|chybu|chybou|chybn*|selhal*|selhani|neplatn*|zamitnut*|odmitnut*|nepodarilo|nelze|zakazan*|nenalezen*|neuspesn*",
	// Russian, Ukrainian
	"ошибк*|ошибок|не удалось|не удалось|отказано|отклонен*|недействител*|неверн*|неправильн*|недопустим*|запрещен*|сбой|невозможно|не найден*|не получилось|истек|истекла",
	"помилк*|помилок|не вдалося|відмовлено|відхилен*|недійсн*|невірн*|неправильн*|заборонен*|збій|неможливо|не знайден*",
	// Turkish
	"hata|hatasi|hatalar|hatali|basarisiz*|gecersiz*|reddedildi|izin verilmedi|yapilamadi|kaydedilemedi|silinemedi|gonderilemedi|bulunamadi|mumkun degil|yanlis",
	// Arabic, Hebrew, Hindi
	"خطا|خطأ|الخطأ|أخطاء|فشل|فشلت|تعذر|تعذرت|مرفوض|مرفوضة|رفض|غير صالح|غير صالحة|غير صحيح|غير صحيحة|ممنوع|لا يمكن|غير موجود",
	"שגיאה|שגיאות|שגיאת|השגיאה|נכשל|נכשלה|נכשלו|לא ניתן|נדחה|נדחתה|לא חוקי|לא תקין|לא תקינה|שגוי|שגויה|אסור|לא נמצא|לא נמצאה",
	"त्रुटि|त्रुटियां|त्रुटियाँ|विफल|असफल|अमान्य|अस्वीकृत|अस्वीकार|गलत|नहीं हो सका|नहीं हो सकी|नहीं किया जा सका|असमर्थ",
	// Chinese, Japanese, Korean
	"错误|錯誤|失败|失敗|无法|無法|拒绝|拒絕|无效|無效|禁止|出错|出錯|异常|異常|不正确|不正確|未找到|不可用|不允许|不能为空|已过期|有误",
	"エラー|無効|拒否|できません|できなかった|正しくありません|見つかりません|不正|許可されていません|期限切れ|失敗",
	"오류|실패|에러|잘못|거부|유효하지 않|할 수 없|수 없습니다|찾을 수 없|올바르지 않|금지|만료",
)

// harmless are phrases that hold such a word and complain of nothing.
var harmless = lex(
	"cannot be undone|cant be undone|can not be undone|cannot be reversed|cannot be recovered|cannot be restored|cannot undo this|cannot undo|nothing went wrong|nothing wrong|error free|fail safe|fail over|fail fast|trial and error|cant wait|cannot wait|if something went wrong|if something goes wrong",
	"no se puede deshacer|no se puede revertir|no se podra deshacer|kann nicht ruckgangig|konnen nicht ruckgangig|kann nicht widerrufen|kann nicht wiederhergestellt|non e possibile annullare|nao e possivel desfazer|kan niet ongedaan|kan niet worden ongedaan|kan inte angras|nie mozna cofnac|nelze vratit",
	"невозможно отменить|لا يمكن التراجع|לא ניתן לבטל|元に戻すことはできません|元に戻せません|取り消すことはできません|无法撤销|無法復原|无法恢复|되돌릴 수 없|실행 취소할 수 없|취소할 수 없",
)

// none are the words that, before one of complaint, say there is none of it.
var none = set(
	"no 0 zero without never any free non not sin ningun ninguna cero kein keine keinen keinem keiner keinerlei ohne null aucun aucune sans zero nessun nessuna senza sem nenhum nenhuma zero",
	"geen zonder nul ingen inga utan noll bez zadna zadne zadny zadnych brak zero без нет нуль нема немає ноль sifir لا بدون אין ללא אפס कोई बिना शून्य",
)

// noneAfter are the words that say so after it.
var noneAfter = set("yok free नहीं לא")

// noneGlued are the ways to say so in scripts without blanks, around the word at %.
var noneGlued = []string{"没有%", "沒有%", "无%", "無%", "未发生%", "%なし", "%無し", "%はありません", "%はありませんでした", "%がありません", "%はない", "%없음", "%가없", "%가없습니다", "%는없", "%없이"}

// SpeaksOfFailure reports whether s complains: error, failed, could not, denied, invalid and the like, in twenty languages, and the
// word that says so, Loose. What says that there is no error ("0 errors", "no errors", "error-free", "Errors: 0") and what only
// warns that a thing cannot be undone are no complaints. It is meant for the text of alerts, statuses and dialogs, where such
// words are not names of products.
func SpeaksOfFailure(s string) (word string, bad bool) {
	t := read(s)
	skip := map[int]bool{}
	for from := 0; ; {
		at, n, phrase, ok := harmless.find(t, from)
		if !ok {
			break
		}
		if t.parts[at].kind == run {
			t = read(strings.ReplaceAll(t.loose, phrase, " "))
			skip = map[int]bool{}
			from = 0
			continue
		}
		for k := range n {
			skip[at+k] = true
		}
		from = at + n
	}
	for from := 0; ; {
		at, n, phrase, ok := failures.find(t, from)
		if !ok {
			return "", false
		}
		from = at + 1
		if skip[at] || t.parts[at].kind == run && absent(t, phrase) || t.parts[at].kind != run && denied(t, at, n) {
			if t.parts[at].kind == run {
				// Another word of the same run may complain: look again without this one.
				t = read(strings.ReplaceAll(t.loose, phrase, " "))
				skip, from = map[int]bool{}, 0
			}
			continue
		}
		return phrase, true
	}
}

// denied reports whether the phrase at parts[at:at+n] is said not to be: "no errors", "errors: 0", "error-free".
func denied(t text, at, n int) bool {
	for back := 1; back <= 2 && at-back >= 0; back++ {
		if strings.ContainsAny(t.parts[at-back+1].before, ".;!?,:") {
			break
		}
		p := t.parts[at-back]
		if none[p.text] && (back == 1 || p.text != "not" && p.text != "no" && p.text != "non" && p.text != "לא") {
			return true
		}
		if p.text == "no" && back == 2 && n == 1 && !strings.HasPrefix(t.parts[at].text, "found") {
			return true // "no validation errors", "no unexpected errors"
		}
	}
	if next := at + n; next < len(t.parts) {
		p := t.parts[next]
		if noneAfter[p.text] && !strings.ContainsAny(p.before, ".;!?,:") {
			return true
		}
		if p.text == "0" && strings.Trim(p.before, " :=(") == "" {
			return true
		}
	}
	return false
}

// absent is denied for scripts without blanks.
func absent(t text, phrase string) bool {
	squeezed := strings.ReplaceAll(t.loose, " ", "")
	phrase = strings.ReplaceAll(phrase, " ", "")
	for _, pattern := range noneGlued {
		if strings.Contains(squeezed, strings.Replace(pattern, "%", phrase, 1)) {
			return true
		}
	}
	for _, zero := range []string{"0个", "0個", "0件の", "0 "} {
		if i := strings.Index(squeezed, strings.TrimSpace(zero)+phrase); i >= 0 && (i == 0 || !digit(rune(squeezed[i-1]))) {
			return true
		}
	}
	return false
}
