package words

import "strings"

// destroyers are what controls say that take something away for good, in the forms that command and in the noun of the deed.
var destroyers = lex(
	"delete*|deleting|deletion|remove|removal|erase|destroy|wipe|purge|terminate|deactivate|drop table|drop database|uninstall|revoke|discard|trash|empty trash|empty bin|factory reset|reset all|close account|close my account|cancel subscription|cancel order|cancel my order|cancel booking|cancel plan|unsubscribe|shut down|format disk",
	"loschen|loscht|geloscht|loschung|entfernen|vernichten|zurucksetzen|deinstallieren|widerrufen|verwerfen|kundigen|konto schliessen|stornieren|papierkorb leeren|abbestellen",
	"supprimer|suppression|supprime|effacer|detruire|retirer|desinstaller|revoquer|resilier|desactiver|fermer le compte|annuler la commande|vider la corbeille|se desabonner",
	"eliminar|elimina|eliminacion|borrar|borra|suprimir|destruir|quitar|desinstalar|revocar|dar de baja|darse de baja|cancelar suscripcion|cancelar pedido|cerrar cuenta|vaciar papelera|desactivar",
	"excluir|exclusao|apagar|remover|destruir|desinstalar|revogar|encerrar conta|cancelar assinatura|cancelar pedido|esvaziar lixeira|desativar|eliminar",
	"elimina|eliminare|eliminazione|cancella|cancellare|rimuovi|rimuovere|distruggi|disinstalla|revoca|chiudi account|annulla abbonamento|annulla ordine|svuota cestino|disattiva",
	"verwijderen|verwijder|wissen|vernietigen|intrekken|opzeggen|account sluiten|bestelling annuleren|prullenbak legen|deactiveren",
	"radera|ta bort|forstor|avinstallera|aterkalla|avsluta konto|avboka|sag upp|tom papperskorgen|inaktivera",
	"slet|slette|fjern|odelaeg|afinstaller|tilbagekald|luk konto|annuller ordre|opsig|tom papirkurv|deaktiver",
	"slett|fjern|odelegg|avinstaller|tilbakekall|lukk konto|avslutt konto|avbestill|si opp|tom papirkurv",
	"poista|poistaminen|tuhoa|tyhjenna|peruuta tilaus|sulje tili|lopeta tilaus|irtisano|poista kaytosta",
	"usun|usunac|usuwanie|skasuj|kasuj|wymaz|zniszcz|odinstaluj|cofnij dostep|zamknij konto|anuluj zamowienie|anuluj subskrypcje|oproznij kosz|dezaktywuj",
	"smazat|odstranit|vymazat|znicit|odinstalovat|zrusit ucet|zrusit objednavku|zrusit predplatne|vysypat kos|deaktivovat",
	"zmazat|odstranit|vymazat|znicit|odinstalovat|zrusit ucet|zrusit objednavku|zrusit predplatne|vysypat kos",
	"torles*|torol|eltavolitas|eltavolit|megsemmisit*|visszavonas|fiok megszuntetese|rendeles lemondasa|elofizetes lemondasa|kuka uritese",
	"sterge|stergeti|stergere|elimina|eliminati|distruge|dezinstaleaza|revoca|inchide contul|anuleaza comanda|anuleaza abonamentul|goleste cosul",
	"изтрий|изтриване|изтриите|премахни|премахване|унищожи|деинсталирай|закрий акаунт|отмени поръчката|анулирай|деактивирай",
	"удалить|удалит*|удаление|стереть|уничтожить|очистить корзину|отозвать|закрыть аккаунт|закрыть счет|отменить заказ|отменить подписку|отписаться|деактивировать|сбросить",
	"видалити|видалення|стерти|знищити|прибрати|очистити кошик|відкликати|закрити обліковий запис|скасувати замовлення|скасувати підписку|деактивувати|скинути",
	"διαγραφη|διαγραψτε|καταργηση|αφαιρεση|καταστροφη|απεγκατασταση|ανακληση|κλεισιμο λογαριασμου|ακυρωση παραγγελιας|ακυρωση συνδρομης|απενεργοποιηση",
	"sil|silmek|kaldir|yok et|temizle|kaldirma|iptal et|hesabi kapat|siparisi iptal et|aboneligi iptal et|devre disi birak",
	"حذف|احذف|ازالة|إزالة|مسح|تدمير|إلغاء الاشتراك|إلغاء الطلب|إغلاق الحساب|إلغاء تثبيت|تعطيل الحساب|إفراغ سلة المهملات",
	"מחק|מחיקה|למחוק|הסר|הסרה|השמד|בטל מנוי|ביטול מנוי|ביטול הזמנה|בטל הזמנה|סגור חשבון|סגירת חשבון|השבת חשבון|רוקן אשפה",
	"حذف|پاک کردن|پاک کن|حذف کردن|نابود*|لغو اشتراک|لغو سفارش|بستن حساب|غیرفعال کردن|خالی کردن سطل",
	"हटाएं|हटाएँ|हटाये|हटाना|मिटाएं|मिटाएँ|मिटाना|डिलीट|नष्ट करें|सदस्यता रद्द|ऑर्डर रद्द|खाता बंद|निष्क्रिय करें",
	"মুছুন|মুছে ফেলুন|মুছে দিন|ডিলিট|অপসারণ|সরান|ধ্বংস|অর্ডার বাতিল|সাবস্ক্রিপশন বাতিল|অ্যাকাউন্ট বন্ধ|নিষ্ক্রিয় করুন",
	"ลบ|ลบออก|ลบบัญชี|ลบทิ้ง|นำออก|ทำลาย|ถอนการติดตั้ง|ยกเลิกคำสั่งซื้อ|ยกเลิกการสมัคร|ปิดบัญชี|ล้างข้อมูล",
	"xoa|xoa bo|go bo|huy bo|huy don|huy don hang|huy dang ky|dong tai khoan|go cai dat|vo hieu hoa",
	"hapus|menghapus|penghapusan|buang|musnahkan|copot|cabut akses|batalkan pesanan|batalkan langganan|tutup akun|nonaktifkan|kosongkan sampah",
	"删除|刪除|移除|清除|清空|销毁|銷毀|抹掉|注销|註銷|卸载|卸載|解除安裝|撤销授权|取消订单|取消訂單|取消订阅|取消訂閱|关闭账户|關閉帳戶|停用",
	"削除|消去|除去|破棄|抹消|退会|解約|アンインストール|注文をキャンセル|注文取消|購読解除|アカウントを閉鎖|無効化|ゴミ箱を空に",
	"삭제|지우기|제거|파기|탈퇴|해지|주문 취소|구독 취소|계정 폐쇄|휴지통 비우기|비활성화",
)

// payers are what controls say that spend money, or promise to.
var payers = lex(
	"pay|pays|payment|pay now|buy|buy now|purchase|checkout|check out|place order|place your order|place my order|order now|order and pay|submit order|complete order|confirm order|confirm purchase|book now|reserve now|donate|transfer|transfer money|send money|wire|withdraw|deposit|invest|bid now|place bid|subscribe now|start subscription|upgrade now|start trial|top up",
	"bezahlen|zahlen|jetzt kaufen|kaufen|kaufpflichtig|zahlungspflichtig|bestellen|kostenpflichtig|zur kasse|kasse|uberweisen|uberweisung|spenden|abheben|jetzt buchen|buchen|abonnieren|aufladen",
	"payer|paiement|acheter|commander|valider la commande|passer la commande|passer commande|virement|virer|transferer|donner maintenant|faire un don|reserver|retirer de l'argent|s'abonner|regler",
	"pagar|pago|comprar|comprar ahora|realizar pedido|hacer pedido|finalizar compra|tramitar pedido|transferir|transferencia|donar|retirar dinero|reservar ahora|suscribirse",
	"pagar|pagamento|comprar|finalizar compra|finalizar pedido|fazer pedido|encomendar|transferir|transferencia|doar|sacar|reservar agora|assinar agora",
	"paga|pagare|pagamento|acquista|acquistare|compra|ordina|effettua ordine|invia ordine|procedi all'acquisto|bonifico|trasferisci|dona|preleva|prenota ora|abbonati",
	"betalen|betaal|kopen|koop|nu kopen|bestellen|bestelling plaatsen|afrekenen|overmaken|overboeken|doneren|opnemen|nu boeken|abonneren",
	"betala|kop|kop nu|bestall|lagg order|till kassan|kassa|overfor|overforing|donera|skank|ta ut|boka nu|prenumerera",
	"betal|kob|kob nu|bestil|afgiv ordre|til kassen|overfor|overforsel|doner|haev|book nu|abonner",
	"betal|kjop|kjop na|bestill|legg inn bestilling|til kassen|overfor|overforing|doner|ta ut|bestill na|abonner",
	"maksa|maksu|osta|osta nyt|tilaa|tilaa nyt|kassalle|siirra|tilisiirto|lahjoita|nosta|varaa nyt",
	"zaplac|zaplata|plac|kup|kup teraz|kupuje|zamow|zamawiam|zloz zamowienie|do kasy|przelej|przelew|wplac|wyplac|przekaz darowizne|zarezerwuj|subskrybuj",
	"zaplatit|platit|platba|koupit|objednat|odeslat objednavku|k pokladne|prevest|prevod|darovat|vybrat penize|rezervovat|predplatit",
	"zaplatit|platit|platba|kupit|objednat|odoslat objednavku|k pokladni|previest|prevod|darovat|rezervovat|predplatit",
	"fizetes|fizet|fizetek|vasarlas|megveszem|megrendeles|megrendelem|rendeles leadasa|penztar|atutalas|utalas|adomanyozas|foglalas|elofizetes",
	"plateste|platiti|plata|cumpara|cumparati|comanda|comanda acum|plaseaza comanda|trimite comanda|finalizeaza comanda|transfera|doneaza|retrage|rezerva acum|aboneaza-te",
	"плати|платете|плащане|купи|купете|поръчаи|поръчай|завърши поръчката|към касата|преведи|превод|дари|изтегли|резервирай|абонирай",
	"оплатить|оплата|заплатить|купить|заказать|оформить заказ|подтвердить заказ|перевести|перевод|пожертвовать|вывести средства|снять деньги|забронировать|пополнить|оформить подписку",
	"сплатити|оплатити|оплата|купити|придбати|замовити|оформити замовлення|переказати|переказ|пожертвувати|зняти кошти|забронювати|поповнити",
	"πληρωμη|πληρωστε|πληρωσε|αγορα|αγορασε|αγοραστε|παραγγελια|παραγγειλτε|ολοκληρωση παραγγελιας|ταμειο|μεταφορα|δωρεα|αναληψη|κρατηση",
	"ode|odeme|odeme yap|satin al|simdi al|siparis ver|siparisi tamamla|siparisi onayla|havale|transfer et|bagis yap|para cek|rezervasyon yap|abone ol",
	"ادفع|دفع|الدفع|شراء|اشتر|اشتري|اطلب الآن|إتمام الطلب|تأكيد الطلب|إتمام الشراء|تحويل|تبرع|سحب الأموال|احجز الآن|اشترك الآن",
	"שלם|תשלום|לתשלום|קנה|קנייה|רכישה|לרכישה|הזמן עכשיו|בצע הזמנה|ביצוע הזמנה|לקופה|העבר כסף|העברה|תרום|תרומה|משיכה|הירשם כמנוי",
	"پرداخت|بپرداز|خرید|بخر|خریدن|ثبت سفارش|تکمیل خرید|تسویه حساب|انتقال وجه|واریز|کمک مالی|برداشت وجه|رزرو کنید",
	"भुगतान|भुगतान करें|खरीदें|अभी खरीदें|खरीदना|ऑर्डर करें|ऑर्डर दें|चेकआउट|ट्रांसफर|पैसे भेजें|दान करें|निकासी|बुक करें",
	"পেমেন্ট|পরিশোধ|মূল্য পরিশোধ|কিনুন|এখনই কিনুন|অর্ডার করুন|অর্ডার দিন|চেকআউট|টাকা পাঠান|স্থানান্তর|দান করুন|উত্তোলন|বুক করুন",
	"ชำระเงิน|จ่ายเงิน|จ่าย|ซื้อ|ซื้อเลย|สั่งซื้อ|ยืนยันคำสั่งซื้อ|โอนเงิน|บริจาค|ถอนเงิน|จองเลย|เติมเงิน",
	"thanh toan|tra tien|mua|mua ngay|dat hang|xac nhan don hang|chuyen tien|chuyen khoan|quyen gop|rut tien|dat ngay|nap tien",
	"bayar|pembayaran|beli|beli sekarang|pesan sekarang|buat pesanan|transfer|kirim uang|donasi|tarik dana|checkout|isi ulang|berlangganan",
	"付款|支付|结账|結帳|结算|結算|购买|購買|立即购买|立即購買|下单|下單|提交订单|提交訂單|确认订单|確認訂單|转账|轉帳|汇款|匯款|捐款|捐赠|提现|提現|充值|订购|訂購|立即预订|立即預訂",
	"支払|お支払い|購入|購入する|今すぐ買う|買う|注文する|注文を確定|注文確定|レジに進む|決済|振込|振り込|送金|寄付|出金|引き出す|予約する|課金",
	"결제|결제하기|구매|구매하기|바로구매|주문하기|주문 완료|지불|송금|이체|기부|출금|예약하기|충전",
)

// bare names that say all there is to say: as a part of another name they say too little ("Order 17", "Order history").
var payingAlone = set("order book subscribe donate commande commander bestellung pedido ordine zamowienie заказ siparis pesan")

// Hazards reports whether a name, of a control or in a path, speaks of taking something away for good, and whether it speaks of spending
// money or of an order that binds: in some thirty languages, by word, and by the picture of a bin. It is a hint about words, never
// a fact about what the control does.
func Hazards(name string) (destructive, paying bool) {
	t := read(name)
	destructive = strings.Contains(name, "🗑") || destroyers.in(t)
	paying = len(t.parts) == 1 && payingAlone[t.parts[0].text] || payers.in(t)
	return destructive, paying
}
