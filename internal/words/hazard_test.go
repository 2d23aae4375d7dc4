package words_test

import (
	"testing"

	"github.com/deed-dev/deed/internal/words"
)

// hazards has, for every language that is promised, what its controls say: of a deletion, of a payment, and of neither.
var hazards = []struct{ lang, destructive, paying, neither string }{
	{"en", "Delete account", "Place your order", "Show details"},
	{"de", "Konto löschen", "Zahlungspflichtig bestellen", "Einzelheiten anzeigen"},
	{"fr", "Supprimer le compte", "Passer la commande", "Afficher les détails"},
	{"es", "Eliminar cuenta", "Pagar ahora", "Ver detalles"},
	{"pt", "Excluir conta", "Finalizar compra", "Ver detalhes"},
	{"it", "Elimina account", "Acquista ora", "Mostra dettagli"},
	{"nl", "Account verwijderen", "Nu betalen", "Details tonen"},
	{"sv", "Radera kontot", "Betala nu", "Visa detaljer"},
	{"da", "Slet konto", "Køb nu", "Vis detaljer"},
	{"no", "Slett konto", "Kjøp nå", "Vis detaljer om varen"},
	{"fi", "Poista tili", "Maksa nyt", "Näytä tiedot"},
	{"pl", "Usuń konto", "Zapłać teraz", "Pokaż szczegóły"},
	{"cs", "Smazat účet", "Zaplatit objednávku", "Zobrazit podrobnosti"},
	{"sk", "Zmazať účet", "Zaplatiť", "Zobraziť podrobnosti"},
	{"hu", "Fiók törlése", "Fizetés", "Részletek megjelenítése"},
	{"ro", "Șterge contul", "Plătește acum", "Afișează detalii"},
	{"bg", "Изтриване на акаунта", "Плащане", "Покажи подробности"},
	{"ru", "Удалить аккаунт", "Оплатить заказ", "Показать подробности"},
	{"uk", "Видалити обліковий запис", "Сплатити зараз", "Показати подробиці"},
	{"el", "Διαγραφή λογαριασμού", "Πληρωμή", "Προβολή λεπτομερειών"},
	{"tr", "Hesabı sil", "Satın al", "Ayrıntıları göster"},
	{"ar", "حذف الحساب", "ادفع الآن", "عرض التفاصيل"},
	{"he", "מחק חשבון", "לתשלום", "הצג פרטים"},
	{"fa", "حذف حساب", "پرداخت", "نمایش جزئیات"},
	{"hi", "खाता हटाएं", "अभी खरीदें", "विवरण देखें"},
	{"bn", "অ্যাকাউন্ট মুছুন", "এখনই কিনুন", "বিস্তারিত দেখুন"},
	{"th", "ลบบัญชี", "ชำระเงิน", "ดูรายละเอียด"},
	{"vi", "Xóa tài khoản", "Thanh toán", "Xem chi tiết"},
	{"id", "Hapus akun", "Bayar sekarang", "Lihat rincian"},
	{"zh-Hans", "删除账户", "立即支付", "查看详情"},
	{"zh-Hant", "刪除帳戶", "立即購買", "查看詳情"},
	{"ja", "アカウントを削除", "注文を確定する", "詳細を見る"},
	{"ko", "계정 삭제", "결제하기", "자세히 보기"},
}

func destructive(s string) bool { d, _ := words.Hazards(s); return d }

func paying(s string) bool { _, p := words.Hazards(s); return p }

func TestHazards_InEveryLanguage(t *testing.T) {
	if len(hazards) < 31 {
		t.Fatalf("only %d languages", len(hazards))
	}
	for _, h := range hazards {
		t.Run(h.lang, func(t *testing.T) {
			if !destructive(h.destructive) {
				t.Errorf("%q is not destructive", h.destructive)
			}
			if !paying(h.paying) {
				t.Errorf("%q is not paying", h.paying)
			}
			if destructive(h.neither) || paying(h.neither) {
				t.Errorf("%q: destructive %v, paying %v", h.neither, destructive(h.neither), paying(h.neither))
			}
		})
	}
}

func TestHazards_ByWord(t *testing.T) {
	for name, want := range map[string]bool{
		"DELETE": true, "De\u00adlete": true, "delete_all": true, "🗑": true, "Deleted items": true, "ｄｅｌｅｔｅ": true, "/account/delete": true,
		"Undeletable": false, "Deli": false, "Save": false, "": false, "Silver": false, "Dropdown": false,
	} {
		if got := destructive(name); got != want {
			t.Errorf("Destructive(%q) = %v", name, got)
		}
	}
	for name, want := range map[string]bool{
		"Order": true, "Order 17": false, "Order history": false, "Payload": false, "Buy": true, "Payment": true, "Shop": false, "Book": true, "Books": false,
	} {
		if got := paying(name); got != want {
			t.Errorf("Paying(%q) = %v", name, got)
		}
	}
}
