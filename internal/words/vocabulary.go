package words

import "strings"

func set(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			m[w] = true
		}
	}
	return m
}

// stop are the words that carry nothing, Loose, before stemming. Single letters that are articles somewhere (a, y, e, o) are
// among them; a text that ends with one keeps it: "Size A", "Seat O".
var stop = set(
	// English
	"a an the of to in on at for from by with and or as is are was were be been being it its this that these those there here into onto",
	"i you he she we they my your his her our their me us them has have had do does did will would shall should can could may might must then than so",
	"dont doesnt isnt arent wasnt not no",
	// Spanish
	"al del de la las el los lo un una unos unas y o u e en con por para que se su sus es son esta estan este esto ha han fue",
	// German
	"der die das den dem des ein eine einen einem einer eines und oder in im ins am an auf aus bei mit von vom zu zum zur fur ist sind war wird werden wurde sich es er sie als auch nach",
	// French
	"le les du des une et ou en dans sur pour par avec que qui ce cet cette ces son sa ses est sont au aux il elle se l' d' j' n' s' c' m' t' qu'",
	// Portuguese, Italian
	"os do da dos das um uma em na nos nas ao aos com foi il gli di che dello della dei delle nel nella un' dell' nell' all' sull'",
	// roles
	"button link boton enlace bouton lien knopf schaltflache taste botao pulsante collegamento",
)

// particles are the characters of Chinese and Japanese that only tie words together.
const particles = "的了在是和与及或被把将请您你我它这那个吗呢吧着" + "のをはがにでへとも"

var elided = set("l d j n s c m t qu un dell nell all sull dall")

var contracted = set("t re ve ll d m")

// conjugated are stems of what interfaces do, with the endings that make forms of them, a line a language.
var conjugated = []struct {
	stems   map[string]bool
	endings []string // longest first
}{
	{ // Spanish, Portuguese
		set("elimin borr quit guard anad agreg cancel envi edit actualiz confirm selecci seleccion complet archiv compr pag acept activ desactiv copi descart retir",
			"remov apag exclu salv adicion"),
		[]string{"iendo", "ando", "endo", "ados", "adas", "idos", "idas", "ado", "ada", "ido", "ida", "ar", "er", "ir", "a", "e", "o"},
	},
	{ // Italian
		set("elimin rimuov salv aggiung annull conferm acquist modific cancell seleziona invi"),
		[]string{"ando", "endo", "are", "ere", "ire", "ato", "ata", "ati", "ate", "a", "e", "i"},
	},
	{ // French
		set("ajout supprim enregistr sauvegard annul envoy modifi valid ferm accept retir effac"),
		[]string{"ees", "er", "ez", "ee", "es", "e"},
	},
}

// german maps the forms of verbs that change inside.
var german = func() map[string]string {
	m := map[string]string{}
	for stem, forms := range map[string]string{
		"losch":       "loschen losche loscht geloscht",
		"speicher":    "speichern speichere speichert gespeichert",
		"hinzufug":    "hinzufugen hinzugefugt hinzuzufugen",
		"entfern":     "entfernen entferne entfernt",
		"ander":       "andern andere andert geandert",
		"bestatig":    "bestatigen bestatige bestatigt",
		"aktualisier": "aktualisieren aktualisiert",
		"wahl":        "wahlen wahlt gewahlt ausgewahlt auswahlen",
		"send":        "senden sendet gesendet",
		"offn":        "offnen offnet geoffnet",
		"schliess":    "schliessen schliesst geschlossen",
		"abbrech":     "abbrechen abgebrochen",
		"kauf":        "kaufen kauft gekauft",
		"bestell":     "bestellen bestellt",
	} {
		for _, f := range strings.Fields(forms) {
			m[f] = stem
		}
	}
	return m
}()

// cyrillicEndings, longest first.
var cyrillicEndings = []string{"ированы", "ирована", "ировано", "ирован", "ировать",
	"ённый", "енный", "анный", "ами", "ями", "ого", "его", "ому", "ему", "ыми", "ими", "ить", "ать", "ять", "еть", "уть", "ено", "ена", "ены", "ано", "ана", "аны",
	"ен", "ан", "ах", "ях", "ов", "ев", "ей", "ой", "ый", "ий", "ая", "яя", "ое", "ее", "ые", "ие", "ую", "юю", "ам", "ям", "ом", "ем",
	"а", "я", "о", "е", "ы", "и", "у", "ю", "ь", "й", "і"}
