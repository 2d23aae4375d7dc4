package words

import "strings"

// removers are the imperatives by which a control offers to take something away.
var removers = lex(
	"remove|delete|discard|dismiss|clear|undo|erase|trash|take out|take off|unselect|deselect|revert|unpin|detach|move to trash",
	"quitar|eliminar|borrar|retirar|deseleccionar|descartar|deshacer|suprimir|quita|elimina|borra",
	"entfernen|loschen|verwerfen|ruckgangig|ruckgangig machen|ausblenden|abwahlen|wegnehmen",
	"supprimer|retirer|effacer|enlever|ignorer|deselectionner|defaire",
	"rimuovi|elimina|cancella|togli|scarta|deseleziona",
	"remover|excluir|apagar|desfazer|descartar|limpar",
	"verwijder|verwijderen|wissen|ongedaan maken|ta bort|radera|angra|usun|wyczysc|cofnij|odstranit|smazat|zrusit",
	"удалить|убрать|очистить|отменить|стереть|видалити|прибрати|скасувати|kaldir|sil|temizle|geri al",
	"حذف|إزالة|مسح|تراجع|מחק|מחיקה|הסר|הסרה|בטל|הסרת|हटाएं|हटाएँ|हटाये|मिटाएं",
	"删除|刪除|移除|清除|撤销|撤銷|移走|削除|取り消|取消し|元に戻|삭제|제거|지우기|실행 취소",
)

// leavers close a layer or give an undertaking up. Alone, or with the layer's own name, they take the layer away; with any
// other object ("Cancel subscription", "Close account") they are acts of their own.
var leavers = lex(
	"close|cancel|cerrar|cancelar|schliessen|abbrechen|fermer|annuler|chiudi|annulla|fechar|sluiten|annuleren|stang|avbryt|zamknij|anuluj|zavrit",
	"закрыть|отмена|закрити|kapat|iptal|إغلاق|الغاء|إلغاء|סגור|סגירה|ביטול|बंद|रद्द|关闭|關閉|取消|閉じる|キャンセル|닫기|취소",
)

// layers are what a leaver may name.
var layers = set(
	"dialog window popup pop up message notification banner panel menu this modal overlay tooltip sheet drawer toast alert snackbar",
	"ventana dialogo mensaje aviso fenster meldung hinweis fenetre message finestra messaggio janela mensagem venster bericht окно",
)

// affirming verbs beside a removal word make the control something else: it goes on, pays, sends.
var affirming = lex(
	"confirm*|accept*|agree*|approv*|pay|pays|buy|order|purchase|submit|send|transfer|save|apply|continue|proceed|ok|okay|yes|sign|publish|checkout|check out|book|subscribe|add|insert|create|keep|restore|enable|allow|grant|install|download|open|next|finish|replace|move to cart",
	"confirmar|aceptar|pagar|comprar|enviar|transferir|guardar|aplicar|continuar|seguir|si|anadir|agregar|crear|conservar|publicar|firmar",
	"bestatigen|akzeptieren|zustimmen|bezahlen|zahlen|kaufen|bestellen|senden|absenden|uberweisen|speichern|anwenden|fortfahren|weiter|ja|hinzufugen|erstellen|behalten|ersetzen",
	"confirmer|accepter|payer|acheter|commander|envoyer|transferer|enregistrer|appliquer|continuer|oui|ajouter|creer|conserver|valider",
	"conferma|accetta|paga|acquista|invia|trasferisci|salva|applica|continua|aggiungi|crea|mantieni|confirma|sim|salvar|adicionar|criar|manter",
	"bevestig*|accepteren|betalen|kopen|verzenden|opslaan|doorgaan|toevoegen|bekrafta|godkann|betala|kop|skicka|spara|fortsatt|lagg till|potwierd*|zaplac*|kup|wyslij|zapisz|dalej|tak|dodaj|potvrdit|zaplatit|koupit|odeslat|ulozit|pokracovat|ano|pridat",
	"подтверд*|принять|оплатить|купить|отправить|перевести|сохранить|продолжить|да|добавить|підтверд*|прийняти|сплатити|купити|надіслати|зберегти|продовжити|так|додати|onayla|kabul|ode|satin|gonder|kaydet|devam|evet|ekle",
	"تأكيد|قبول|دفع|شراء|إرسال|حفظ|متابعة|نعم|إضافة|אישור|אשר|קבל|שלם|קנה|שלח|שמור|המשך|כן|הוסף|पुष्टि|स्वीकार|भुगतान|खरीदें|भेजें|सहेजें|जारी|हाँ|जोड़ें",
	"确认|確認|接受|同意|付款|支付|购买|購買|提交|发送|發送|转账|保存|继续|繼續|添加|加入|承認|購入|送信|振込|続行|追加|확인|동의|결제|구매|제출|전송|저장|계속|추가",
)

// sweeping words make a removal reach further than the thing beside it.
var sweeping = lex(
	"all|everything|every|todo|todos|todas|alle|alles|samtliche|tout|toute|tous|toutes|tutto|tutti|tutte|tudo|alles|allt|alla|wszystk*|vse|vsechn*|все|всё|усе|всі|tumu|tumunu|hepsi|الكل|جميع|הכל|सभी|全部|所有|すべて|全て|모두|전체",
)

// RemovalName reports whether a control of this name takes away what stands beside it: remove, delete, discard, dismiss, clear,
// undo, × and the like in many languages, in the form that commands (a link "Deleted items" removes nothing), at the beginning or at
// the end of the name, as languages put it.
//
// It is false wherever an affirming verb stands beside it ("Cancel and confirm the transfer", "Delete and continue", "Yes, delete"), where it is
// denied ("Do not remove") and where it sweeps ("Remove all"). "Close" and "Cancel" count alone or with the layer they close
// ("Close dialog"): they take a layer away, whereas "Cancel order" and "Close account" are acts of their own.
func RemovalName(name string) bool {
	t := read(name)
	if len(t.parts) == 0 || onlyCross(t) {
		return onlyCross(t)
	}
	if affirming.in(t) || sweeping.in(t) || Negated(name) {
		return false
	}
	var rest []part // without what carries nothing
	for _, p := range t.parts {
		if p.kind == picture || p.kind == word && stop[p.text] {
			continue
		}
		rest = append(rest, p)
	}
	if at, n, _, ok := removers.find(text{t.loose, rest}, 0); ok {
		for {
			if rest[at].kind == run || at == 0 || at+n == len(rest) {
				return true
			}
			if at, n, _, ok = removers.find(text{t.loose, rest}, at+1); !ok {
				return false
			}
		}
	}
	at, n, phrase, ok := leavers.find(text{t.loose, rest}, 0)
	if !ok {
		return false
	}
	if rest[at].kind == run {
		return len(rest) == 1 && rest[at].text == phrase
	}
	for i, p := range rest {
		if (i < at || i >= at+n) && !layers[p.text] {
			return false
		}
	}
	return true
}

// onlyCross reports a name that is nothing but a cross, or a bin.
func onlyCross(t text) bool {
	s := strings.TrimSpace(t.loose)
	switch s {
	case "x", "×", "✕", "✖", "✗", "✘", "╳", "⨯", "❌", "❎", "🗑", "⌫", "[x]", "(x)":
		return true
	}
	return false
}
